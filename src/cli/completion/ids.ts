import { isObjectKind, kindOf } from '../../contract/objects.ts';
import { knownObjects, type SeenObject } from '../../history/objects/known-objects.ts';
import { readSeen } from '../../history/objects/seen-objects.ts';
import { readNewestRecords } from '../../history/read-leniently.ts';
import type { HistoryRecord } from '../../history/record/history-record.ts';
import {
  type ConnectionFlags,
  demoProfile,
  describePlace,
  identityOf,
  resolveSettings,
} from '../config/connection-settings.ts';
import { configDirectory, historyDirectory } from '../config/directories.ts';
import { readProfiles } from '../config/profile-store.ts';
import type { Io } from '../core/io.ts';
import type { CompletionKind } from '../core/option-spec.ts';
import { printable } from '../core/sanitize.ts';
import { describeAged, describeKnown } from '../output/describe-known.ts';

export type Places = Pick<Io, 'env' | 'cwd' | 'process' | 'homeDirectory'>;

export interface KnownItem {
  readonly id: string;
  /** For people, printable. Empty if the word needs none. */
  readonly description: string;
}

/**
 * The ids of a kind that this machine knows, newest first. `words` are those before the cursor: their `--profile`,
 * `--demo` and `--store` choose the history. Reads settings and the newest records.
 */
export function completeIds(kind: CompletionKind, words: readonly string[], places: Places): KnownItem[] {
  return itemsOf(kind, words, places).filter(({ id }) => safeWord.test(id));
}

/** The shell inserts the word into a command line, so an id from a service must not contain shell syntax. */
const safeWord = /^[A-Za-z0-9][\w.-]{0,127}$/;

function itemsOf(kind: CompletionKind, words: readonly string[], places: Places): KnownItem[] {
  const profiles = readProfiles(configDirectory(places));
  if (kind === 'profile') {
    const described = profiles.names().map((name) => {
      return { id: name, description: printable(describePlace(profiles.get(name) ?? {})) };
    });
    return [...described, { id: demoProfile, description: 'the demo store' }];
  }
  const settings = resolveSettings(connectionFlags(words), places.env, places.cwd, profiles);
  const store = identityOf(settings);
  if (store === null) return [];
  const folder = historyDirectory(places, store);
  const operations = isObjectKind(kind) ? kindOf(kind).operations : null;
  return fromHistory(kind, readNewestRecords(folder, operations), readSeen(folder));
}

function fromHistory(
  kind: CompletionKind,
  records: readonly HistoryRecord[],
  seen: readonly SeenObject[],
): KnownItem[] {
  if (isObjectKind(kind)) {
    return knownObjects(kind, records, seen).map((object) => ({
      id: object.id,
      description: describeKnown(kind, object),
    }));
  }
  return records
    .filter(({ open }) => open || kind === 'record')
    .map(({ id, operation, state, createdAt }) => ({
      id,
      description: describeAged([operation, state], createdAt),
    }));
}

/** The last value of each flag that was typed. */
function connectionFlags(words: readonly string[]): ConnectionFlags {
  const lastOf = (flag: string) => {
    const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
    return at === -1 ? undefined : words[at]?.slice(flag.length + 1) || words[at + 1];
  };
  return {
    profile: words.includes('--demo') ? demoProfile : lastOf('--profile'),
    store: lastOf('--store'),
    baseUrl: lastOf('--base-url'),
  };
}
