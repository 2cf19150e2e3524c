import { exampleIds } from '../../contract/example-ids.ts';
import { type KnownKind, knownObjects, type SeenObject } from '../../history/objects/known-objects.ts';
import { readNewestRecords } from '../../history/newest-records.ts';
import { isOpen, type RecordOutline } from '../../history/records/outline.ts';
import { readSeen } from '../../history/objects/seen-objects.ts';
import {
  type ConnectionFlags,
  demoProfile,
  describePlace,
  resolveSettings,
} from '../config/connection-settings.ts';
import { configDirectory, historyDirectory } from '../config/directories.ts';
import type { Io } from '../core/io.ts';
import type { CompletionKind } from '../core/option-spec.ts';
import { printable } from '../core/sanitize.ts';
import { describeAged, describeKnown } from '../output/describe-known.ts';
import { readProfiles } from './stored-profiles.ts';

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
  const { profile, storeId, baseUrl } = resolveSettings(
    connectionFlags(words),
    // The key is not needed, and the file that holds it may be a pipe.
    { ...places.env, STORECTL_API_KEY: 'unused' },
    places.cwd,
    profiles,
  );
  const folder = historyDirectory(places, profile);
  const isHere = (found: Pick<RecordOutline, 'storeId' | 'origin'>) =>
    (storeId === null || found.storeId === storeId.value) &&
    (profile === demoProfile || baseUrl === null || found.origin === baseUrl.value.origin);
  const items = fromHistory(kind, readNewestRecords(folder).filter(isHere), readSeen(folder).filter(isHere));
  const isExampleStore = profile === demoProfile && (storeId?.value ?? exampleIds.store) === exampleIds.store;
  // The history knows more about an object of the example store once a command has changed it.
  const examples = (isExampleStore ? (exampleItems[kind] ?? []) : []).filter(
    (example) => !items.some(({ id }) => id === example.id),
  );
  return [...items, ...examples];
}

function fromHistory(
  kind: CompletionKind,
  records: readonly RecordOutline[],
  seen: readonly SeenObject[],
): KnownItem[] {
  switch (kind) {
    case 'record':
      return records.map(describeRecord);
    case 'open-record':
      return records.filter(isOpen).map(describeRecord);
    case 'backup':
    case 'dispute':
    case 'reclaim':
      return describeObjects(kind, records, seen);
    default:
      return [];
  }
}

function describeRecord({ id, operation, state, createdAt }: RecordOutline): KnownItem {
  return { id, description: describeAged([operation, state], createdAt, Date.now()) };
}

function describeObjects(
  kind: KnownKind,
  records: readonly RecordOutline[],
  seen: readonly SeenObject[],
): KnownItem[] {
  return knownObjects(kind, records, seen).map((object) => ({
    id: object.id,
    description: describeKnown(kind, object, Date.now()),
  }));
}

/** What the example store holds from the start, before any command is run. */
const exampleItems: Readonly<Partial<Record<CompletionKind, readonly KnownItem[]>>> = {
  dispute: [
    { id: exampleIds.openDispute, description: 'open, example' },
    { id: exampleIds.wonDispute, description: 'won, example' },
  ],
  reclaim: [{ id: exampleIds.reclaim, description: 'noticed, example' }],
};

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
