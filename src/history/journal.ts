import { randomBytes as nodeRandomBytes } from 'node:crypto';
import path from 'node:path';
import { OPERATION_TIMEOUT_MS } from '../client/retry.ts';
import type { Batch, BatchLimits } from './batch.ts';
import { batchOfName, lookInto, splitLog } from './batch-log.ts';
import { HistoryError, historyError, systemCode } from './errors.ts';
import {
  createFile,
  ensureFolder,
  type FileSystem,
  type Files,
  fileExists,
  listFolder,
  nodeFileSystem,
  readText,
  removeQuietly,
  renameDurably,
  sweep,
} from './files.ts';
import { type Intent, newRecord, newRecordId, refuseSecrets } from './intent.ts';
import { lazily } from './lazily.ts';
import { type Lock, type LockOptions, openLocks } from './lock.ts';
import { type ProcessFacts, readMachine } from './machine.ts';
import { matches, mayMatch, type RecordQuery } from './query.ts';
import {
  type HistoryRecord,
  lockName,
  parseRecord,
  recordAge,
  recordIdPattern,
  serializeRecord,
  timeOfId,
} from './record.ts';

/** A file in the history's folder that is no usable record. It stays where it is. */
export interface HistoryProblem {
  readonly file: string;
  /** Reads on from the file's name: `is empty: …`. */
  readonly message: string;
}

export type RecordPatch = Partial<
  Pick<HistoryRecord, 'state' | 'attempts' | 'sentAt' | 'answer' | 'failure'>
>;

export interface History {
  readonly folder: string;
  /** A new id for {@link begin}. */
  newId(): string;
  /**
   * Writes the intent down as `prepared`; on disk when the promise resolves. Throws a HistoryError
   * `secret_in_record`, before it writes, when path or body hold one of the `secrets`.
   */
  begin(intent: Intent, secrets?: readonly string[]): Promise<HistoryRecord>;
  /**
   * Replaces the record's file, on disk when the promise resolves: at any moment the file is the old or the new one,
   * whole. What the file says in fields that the patch does not name is kept. An applied record never
   * becomes anything else. The caller holds the record's lock.
   */
  update(record: HistoryRecord, patch: RecordPatch): Promise<HistoryRecord>;
  /** Many operations that are written down together. */
  beginBatch(limits: BatchLimits): Promise<Batch>;
  /** Newest first. Files that cannot be used are problems, not errors. */
  list(query?: RecordQuery): Promise<{ records: HistoryRecord[]; problems: HistoryProblem[] }>;
  /**
   * The record with this id, or the only one whose id begins with it or ends with it after a hyphen.
   * Throws a HistoryError `record_not_found`, `record_ambiguous` or `history_unreadable`.
   */
  get(id: string): Promise<HistoryRecord>;
  /** Removes records that are not open and older; returns their ids. Also sweeps what killed processes have left. */
  prune(options: { olderThanMs: number }): Promise<string[]>;
  /** A lock among all processes that share the folder; it dies with its holder. See lock.ts. */
  acquire(name: string, options?: LockOptions): Promise<Lock>;
  withLock<Result>(
    name: string,
    run: (lock: Lock) => Promise<Result>,
    options?: LockOptions,
  ): Promise<Result>;
  /** Epoch milliseconds. */
  now(): number;
}

export interface HistorySettings {
  /** Folder of one profile's records, absolute. Made when something is first written. */
  readonly folder: string;
  /** Node's `process`. */
  readonly process: ProcessFacts;
  readonly now?: () => number;
  readonly randomBytes?: (size: number) => Buffer;
  readonly fileSystem?: FileSystem;
  /** See LockSettings. */
  readonly lockSilenceMs?: number;
  /** See LockSettings: as long as an operation may take where it is not given. */
  readonly lockPatienceMs?: number | undefined;
}

const SUFFIX = '.json';

/** The journal in `folder`. Touches nothing until it is used. */
export function openHistory(settings: HistorySettings): History {
  const { folder, now = Date.now, randomBytes = nodeRandomBytes } = settings;
  const files: Files = {
    fileSystem: settings.fileSystem ?? nodeFileSystem,
    platform: settings.process.platform,
  };
  const locks = lazily(() =>
    openLocks({
      folder: path.join(folder, 'locks'),
      files,
      machine: readMachine(settings.process),
      randomBytes,
      silenceMs: settings.lockSilenceMs ?? 30_000,
      patienceMs: settings.lockPatienceMs ?? OPERATION_TIMEOUT_MS,
    }),
  );
  /** What this process wrote of a record: where it still stands so, it need not be parsed and checked again. */
  const written = new WeakMap<HistoryRecord, string>();
  const fileOf = (id: string) => path.join(folder, `${id}${SUFFIX}`);

  function stillAsWritten(record: HistoryRecord): boolean {
    const text = written.get(record);
    return text !== undefined && readText(files, fileOf(record.id))?.text === text;
  }

  function read(id: string): HistoryRecord | null {
    const found = readText(files, fileOf(id));
    if (found === null) return null;
    const parsed = parseRecord(found.text, id);
    if ('record' in parsed) return parsed.record;
    throw new HistoryError('history_unreadable', `${fileOf(id)} ${parsed.problem}`, fileOf(id));
  }

  /** Whoever holds the draft's name is the only one who may create the record of that id. */
  async function create(record: HistoryRecord): Promise<boolean> {
    const draft = path.join(folder, `.${record.id}.tmp`);
    try {
      const text = serializeRecord(record);
      createFile(files, draft, text, { sync: true });
      written.set(record, text);
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    }
    if (fileExists(files, fileOf(record.id))) {
      removeQuietly(files, draft);
      return false;
    }
    await renameDurably(files, draft, fileOf(record.id));
    return true;
  }

  async function update(record: HistoryRecord, patch: RecordPatch): Promise<HistoryRecord> {
    try {
      // Its batch has ended, since the caller has the lock of it.
      if (record.batch !== null) await splitLog(files, folder, record.batch);
      const current = stillAsWritten(record) ? record : (read(record.id) ?? record);
      if (current.state === 'applied' && patch.state !== 'applied') return current;
      const next = { ...current, ...patch, updatedAt: new Date(now()).toISOString() };
      const draft = path.join(folder, `.${record.id}.${randomBytes(8).toString('hex')}.tmp`);
      const text = serializeRecord(next);
      createFile(files, draft, text, { sync: true });
      await renameDurably(files, draft, fileOf(record.id));
      written.set(next, text);
      return next;
    } catch (error) {
      throw historyError(error, 'write', fileOf(record.id));
    }
  }

  async function begin(intent: Intent, secrets: readonly string[] = []): Promise<HistoryRecord> {
    refuseSecrets(intent, secrets);
    ensureFolder(files, folder);
    sweep(files, folder, Date.now(), (name) => name.startsWith('.') && name.endsWith('.tmp'));
    try {
      for (let tries = intent.id === undefined ? 5 : 1; tries > 0; tries -= 1) {
        const record = newRecord(intent, intent.id ?? newId(), now());
        if (await create(record)) return record;
      }
    } catch (error) {
      throw historyError(error, 'write', folder);
    }
    throw new HistoryError('history_unwritable', `${folder} already has a record of this id`, folder);
  }

  function newId(): string {
    return newRecordId(now(), randomBytes(6));
  }

  async function beginBatch(limits: BatchLimits): Promise<Batch> {
    const { openBatch } = await import('./batch.ts');
    ensureFolder(files, folder);
    return openBatch(files, history, limits);
  }

  async function list(query: RecordQuery = {}) {
    const { names, logged } = lookInto(files, folder);
    const records = [...logged.values()].filter((record) => matches(record, query, now()));
    const problems: HistoryProblem[] = [];
    for (const name of names) {
      if (name.startsWith('.') || name === 'locks' || batchOfName(name) !== null) continue;
      const file = path.join(folder, name);
      const id = name.slice(0, -SUFFIX.length);
      if (!name.endsWith(SUFFIX) || !recordIdPattern.test(id)) {
        problems.push({ file, message: 'is no record of storectl' });
        continue;
      }
      // What is certainly too old is not worth reading.
      if (query.maxAgeMs !== undefined && timeOfId(id) + 1_000 < now() - query.maxAgeMs) continue;
      const parsed = readRecordFile(file, id, query);
      if (parsed === null) continue;
      if ('problem' in parsed) problems.push({ file, message: parsed.problem });
      else if (matches(parsed.record, query, now())) records.push(parsed.record);
    }
    records.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1));
    return { records, problems };
  }

  /** Null where the file is gone, or holds no record that the query asks for. */
  function readRecordFile(file: string, id: string, query: RecordQuery) {
    try {
      const found = readText(files, file);
      return found === null || !mayMatch(found.text, query) ? null : parseRecord(found.text, id);
    } catch (error) {
      return { problem: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  async function get(wanted: string): Promise<HistoryRecord> {
    const { names, logged } = lookInto(files, folder);
    const filed = names
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length))
      .filter((id) => recordIdPattern.test(id));
    const ids = [...filed, ...logged.keys()].filter(
      (id) => wanted !== '' && (id.startsWith(wanted) || id.endsWith(`-${wanted}`)),
    );
    const [id] = ids;
    if (ids.length > 1) {
      const message = `${ids.length} records begin with ${wanted}: ${ids.sort().slice(0, 5).join(', ')}`;
      throw new HistoryError('record_ambiguous', `${message}. Give more of the id.`, folder);
    }
    const record = id === undefined ? null : (logged.get(id) ?? read(id));
    if (record === null) {
      const message = `This machine knows no operation ${wanted} of this profile.`;
      throw new HistoryError('record_not_found', message, folder);
    }
    return record;
  }

  async function prune({ olderThanMs }: { olderThanMs: number }): Promise<string[]> {
    for (const batch of listFolder(files, folder).map(batchOfName)) {
      if (batch === null || timeOfId(batch) > now() - olderThanMs) continue;
      await withLock(lockName({ id: batch, batch }), () => splitLog(files, folder, batch));
    }
    const { records } = await list({ open: false });
    const old = records.filter((record) => recordAge(record, now()) > olderThanMs);
    for (const { id } of old) {
      try {
        files.fileSystem.unlinkSync(fileOf(id));
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') throw historyError(error, 'write', fileOf(id));
      }
    }
    await locks().sweep(Date.now());
    return old.map(({ id }) => id);
  }

  async function withLock<Result>(
    name: string,
    run: (lock: Lock) => Promise<Result>,
    options?: LockOptions,
  ): Promise<Result> {
    const lock = await acquire(name, options);
    try {
      return await run(lock);
    } finally {
      lock.release();
    }
  }

  async function acquire(name: string, options?: LockOptions): Promise<Lock> {
    ensureFolder(files, folder);
    return locks().acquire(name, options);
  }

  const history: History = {
    folder,
    newId,
    begin,
    update,
    beginBatch,
    list,
    get,
    prune,
    acquire,
    withLock,
    now,
  };
  return history;
}
