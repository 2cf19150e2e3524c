import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { exampleIds } from '../../contract/example-ids.ts';
import { linesById } from '../../history/batch/parse-log.ts';
import { type ConnectionFlags, demoProfile, resolveSettings } from '../config/connection-settings.ts';
import { configDirectory, historyDirectory } from '../config/directories.ts';
import type { ProfileStore } from '../config/profile-store.ts';
import { getPath } from '../core/field-path.ts';
import type { Io } from '../core/io.ts';
import { isObject } from '../core/json-value.ts';
import type { CompletionKind } from '../core/option-spec.ts';
import { printable } from '../core/sanitize.ts';
import { formatDistance } from '../output/format-value.ts';

/**
 * The ids of a kind that this machine knows, newest first. `words` are those before the cursor: their `--profile`,
 * `--demo` and `--store` choose the history. Reads settings and the newest records.
 */
export function completeIds(kind: CompletionKind, words: readonly string[], places: Places): KnownItem[] {
  return itemsOf(kind, words, places).filter(({ id }) => safeWord.test(id));
}

export type Places = Pick<Io, 'env' | 'cwd' | 'process' | 'homeDirectory'>;

export interface KnownItem {
  readonly id: string;
  /** For people, printable. Empty where the word says it all. */
  readonly description: string;
}

/** Shells put what is offered into a command line, so an id from a service must mean nothing to them. */
const safeWord = /^[A-Za-z0-9][\w.-]{0,127}$/;

/** So many records, and so many bytes of them, can be read while somebody waits for Tab. */
const mostRecords = 200;
const mostBytes = 4 * 1024 * 1024;

function itemsOf(kind: CompletionKind, words: readonly string[], io: Places): KnownItem[] {
  const profiles = readProfiles(configDirectory(io));
  if (kind === 'profile') {
    const described = profiles.names().map((name) => {
      const { storeId, baseUrl } = profiles.get(name) ?? {};
      return { id: name, description: printable(`${storeId ?? 'no store'} @ ${baseUrl ?? 'no address'}`) };
    });
    return [...described, { id: demoProfile, description: 'the example store' }];
  }
  const { profile, storeId, baseUrl } = resolveSettings(
    flagsIn(words),
    // The key is not needed, and the file that holds it may be a pipe.
    { ...io.env, STORECTL_API_KEY: 'unused' },
    io.cwd,
    profiles,
  );
  const examples = profile === demoProfile ? exampleItems(kind, storeId?.value ?? exampleIds.store) : [];
  const records = readRecords(historyDirectory(io, profile)).filter(
    (record) =>
      (storeId === null || record.storeId === storeId.value) &&
      (profile === demoProfile || baseUrl === null || record.origin === baseUrl.value.origin),
  );
  const items = new Map<string, KnownItem>();
  for (const record of records) {
    const item = describeAs[kind]?.(record);
    if (item !== null && item !== undefined && !items.has(item.id)) items.set(item.id, item);
  }
  // What was done to one of them is known better by the history.
  for (const item of examples) if (!items.has(item.id)) items.set(item.id, item);
  return [...items.values()];
}

/** What the example store holds from the start, and no command has made. */
function exampleItems(kind: CompletionKind, storeId: string): KnownItem[] {
  if (storeId !== exampleIds.store) return [];
  const { openDispute, wonDispute, reclaim } = exampleIds;
  if (kind === 'reclaim') return [{ id: reclaim, description: 'noticed, example' }];
  if (kind !== 'dispute') return [];
  return [
    { id: openDispute, description: 'open, example' },
    { id: wonDispute, description: 'won, example' },
  ];
}

/** What is read of a record: its file may be of another version, so every field may be anything. */
type StoredRecord = Readonly<Record<string, unknown>>;

const describeAs: Readonly<Record<string, (record: StoredRecord) => KnownItem | null>> = {
  record: describeRecord,
  'open-record': (record) => (isOpen(record) ? describeRecord(record) : null),
  backup: (record) => describeMade(record, ['backup.create'], ['label', 'sections']),
  dispute: (record) => describeMade(record, ['disputes.open', 'disputes.decide'], ['status', 'reason']),
  reclaim: (record) => describeMade(record, ['reclaim.appeal'], ['subdomain', 'status']),
};

function describeRecord(record: StoredRecord): KnownItem | null {
  if (typeof record.id !== 'string') return null;
  return { id: record.id, description: describe([record.operation, record.state], record) };
}

/** As `isOpen` in the history says it. */
function isOpen({ state, answer }: StoredRecord): boolean {
  const status = getPath(answer, ['status']);
  return state === 'rejected'
    ? status === 401 || status === 403
    : state !== 'applied' && state !== 'not_sent';
}

/** What a record of one of the operations made, or worked on. */
function describeMade(
  record: StoredRecord,
  operations: readonly string[],
  fields: readonly string[],
): KnownItem | null {
  if (!operations.includes(String(record.operation))) return null;
  const answer = parse(getPath(record, ['answer', 'body']));
  const [, worked] = /\/([^/]+)\/(?:decision|appeal)$/.exec(String(record.path)) ?? [];
  // What the service refused may well not be there.
  const id = record.state === 'rejected' ? undefined : (worked ?? getPath(answer, ['id']));
  if (typeof id !== 'string') return null;
  return {
    id,
    description: describe(
      fields.map((field) => getPath(answer, [field])),
      record,
    ),
  };
}

function describe(values: readonly unknown[], { createdAt }: StoredRecord): string {
  const words = values
    .map((value) => (Array.isArray(value) ? value.join('+') : value))
    .filter((value) => typeof value === 'string')
    .map((value) => printable(value.slice(0, 50)));
  const age = Date.parse(String(createdAt)) - Date.now();
  return [...words, ...(Number.isNaN(age) ? [] : [formatDistance(age)])].join(', ');
}

/** The newest records in the folder: their names begin with the time. Files that are no records are passed over. */
function readRecords(folder: string): StoredRecord[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).sort().reverse();
  const logged = readLogs(
    folder,
    names.filter((name) => name.endsWith('.batch')),
  );
  const files = new Set(names.filter((name) => /^\d{8}-\d{6}-[0-9a-z]{6}\.json$/.test(name)));
  const ids = new Set([...[...files].map((name) => name.replace('.json', '')), ...logged.keys()]);
  const records: StoredRecord[] = [];
  let bytes = 0;
  for (const id of [...ids].sort().reverse().slice(0, mostRecords)) {
    const name = `${id}.json`;
    const text = files.has(name) ? readEnd(path.join(folder, name), mostBytes - bytes) : null;
    bytes += text?.length ?? 0;
    const record = text === null ? logged.get(id) : parse(text);
    if (isObject(record)) records.push(record);
  }
  return records;
}

/** The newest records in the logs of batches, of which the newest is the first; see `history/batch-log.ts`. */
function readLogs(folder: string, names: readonly string[]): Map<string, StoredRecord> {
  const records = new Map<string, StoredRecord>();
  let bytes = 0;
  for (const name of names) {
    if (records.size >= mostRecords || bytes >= mostBytes) break;
    const text = readEnd(path.join(folder, name), mostBytes - bytes) ?? '';
    bytes += text.length;
    for (const [id, states] of [...linesById(text)].slice(-mostRecords)) {
      records.set(id, Object.assign({}, ...states.map(parse)));
    }
  }
  return records;
}

/** The text of a plain file, or its last `most` bytes. Null for anything else. */
function readEnd(file: string, most: number): string | null {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return null;
  const buffer = Buffer.alloc(Math.min(found.size, most));
  const descriptor = openSync(file, 'r');
  try {
    const length = readSync(descriptor, buffer, 0, buffer.length, found.size - buffer.length);
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

function parse(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** The last of each that was typed. */
function flagsIn(words: readonly string[]): ConnectionFlags {
  const textOf = (flag: string) => {
    const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
    return words[at]?.slice(flag.length + 1) || words[at + 1];
  };
  const given = (flag: string) => words.some((word) => word === flag || word.startsWith(`${flag}=`));
  return {
    profile: given('--demo') ? demoProfile : given('--profile') ? textOf('--profile') : undefined,
    store: given('--store') ? textOf('--store') : undefined,
    baseUrl: given('--base-url') ? textOf('--base-url') : undefined,
  };
}

/** The stored profiles without conf, which takes longer to load than Tab may take. Keys are not looked at. */
function readProfiles(directory: string): ProfileStore {
  const read = (): unknown => {
    try {
      const file = path.join(directory, 'settings.json');
      // A pipe that nobody writes to would hold up the shell for ever.
      return statSync(file).isFile() ? parse(readFileSync(file, 'utf8')) : null;
    } catch {
      return null;
    }
  };
  const settings = read();
  const stored = getPath(settings, ['profiles']);
  const profiles = isObject(stored) ? stored : {};
  const current = getPath(settings, ['current']);
  const unchangeable = async () => {};
  return {
    file: '',
    current: () => (typeof current === 'string' ? current : null),
    names: () => Object.keys(profiles).sort(),
    get(name) {
      const profile = Object.hasOwn(profiles, name) ? profiles[name] : null;
      if (!isObject(profile)) return null;
      const { storeId, baseUrl } = profile;
      return {
        ...(typeof storeId === 'string' && { storeId }),
        ...(typeof baseUrl === 'string' && { baseUrl }),
      };
    },
    ...{ set: unchangeable, remove: unchangeable, use: unchangeable },
  };
}
