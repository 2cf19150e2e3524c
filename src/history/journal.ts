import { randomBytes as nodeRandomBytes } from 'node:crypto';
import path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { memoize } from '../base/memoize.ts';
import { OPERATION_TIMEOUT_MS } from '../client/retry.ts';
import { addLines, batchOfName, forget, toLine } from './batch/log-file.ts';
import { HistoryError, historyError } from './errors.ts';
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
} from './files/files.ts';
import { type Lock, type LockOptions, openLocks } from './files/lock.ts';
import { type ProcessFacts, readMachine } from './files/process-identity.ts';
import type { Batch, BatchOptions, History, RecordPatch, RepairedFile } from './history.ts';
import {
  checkAll,
  fileOf,
  getRecord,
  listRecords,
  locksFolder,
  type RecordStore,
  readAgain,
} from './record-store.ts';
import {
  type HistoryRecord,
  lockName,
  recordAge,
  recordFormat,
  serializeRecord,
  timeOfId,
} from './records/record.ts';
import { remainingWait } from './records/recorded-outcome.ts';
import {
  fingerprintIntent,
  type Intent,
  newRecord,
  newRecordId,
  refuseSecrets,
} from './records/request-intent.ts';

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

const maxClockStepMs = 3 * 3_600_000;

/** When the last of these files was begun, in epoch milliseconds, to the second; 0 without any. */
function newestIn(names: readonly string[]): number {
  const newest = names
    .filter((name) => /^\d{8}-\d{6}-/.test(name))
    .reduce((last, name) => (name > last ? name : last), '');
  return newest === '' ? 0 : timeOfId(newest);
}

/** The journal in `folder`. Touches nothing until it is used. */
export function openHistory(settings: HistorySettings): History {
  const { folder, now = Date.now, randomBytes = nodeRandomBytes } = settings;
  const files: Files = {
    fileSystem: settings.fileSystem ?? nodeFileSystem,
    platform: settings.process.platform,
  };
  const store: RecordStore = { files, folder, now };
  const locks = memoize(() =>
    openLocks({
      folder: path.join(folder, locksFolder),
      files,
      machine: readMachine(settings.process),
      randomBytes,
      silenceMs: settings.lockSilenceMs ?? 30_000,
      patienceMs: settings.lockPatienceMs ?? OPERATION_TIMEOUT_MS,
    }),
  );
  /** What this process wrote of a record: if the file still says so, it need not be parsed and checked again. */
  const written = new WeakMap<HistoryRecord, string>();

  function stillAsWritten(record: HistoryRecord): boolean {
    const text = written.get(record);
    return text !== undefined && readText(files, fileOf(folder, record.id))?.text === text;
  }

  /** Only the process that creates the draft may create the record of that id. */
  async function create(record: HistoryRecord): Promise<boolean> {
    const draft = path.join(folder, `.${record.id}.tmp`);
    try {
      const text = serializeRecord(record);
      createFile(files, draft, text, { sync: true });
      written.set(record, text);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
    if (fileExists(files, fileOf(folder, record.id))) {
      removeQuietly(files, draft);
      return false;
    }
    try {
      await renameDurably(files, draft, fileOf(folder, record.id));
    } catch (error) {
      // Its name may be there and not synced: nothing is sent for it.
      discard(record);
      throw error;
    }
    return true;
  }

  function discard(record: HistoryRecord): void {
    removeQuietly(files, fileOf(folder, record.id));
  }

  async function replace(record: HistoryRecord): Promise<void> {
    const draft = path.join(folder, `.${record.id}.${randomBytes(8).toString('hex')}.tmp`);
    const text = serializeRecord(record);
    createFile(files, draft, text, { sync: true });
    await renameDurably(files, draft, fileOf(folder, record.id));
    written.set(record, text);
  }

  async function update(record: HistoryRecord, patch: RecordPatch): Promise<HistoryRecord> {
    try {
      const current = stillAsWritten(record) ? record : (readAgain(store, record) ?? record);
      if (current.state === 'applied' && patch.state !== 'applied') return current;
      const updatedAt = new Date(now()).toISOString();
      const next = { ...current, ...patch, format: recordFormat, updatedAt };
      await replace(next).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error;
        // Somebody removed the folder. The record is still needed: it says what is in doubt.
        ensureFolder(files, folder);
        return replace(next);
      });
      return next;
    } catch (error) {
      throw historyError(error, 'write', fileOf(folder, record.id));
    }
  }

  async function begin(intent: Intent, secrets: readonly string[] = []): Promise<HistoryRecord> {
    refuseSecrets(intent, secrets);
    ensureFolder(files, folder);
    sweep(files, folder, Date.now(), (name) => name.startsWith('.') && name.endsWith('.tmp'));
    const fingerprinted = fingerprintIntent(intent);
    try {
      for (let tries = intent.id === undefined ? 5 : 1; tries > 0; tries -= 1) {
        const beganAt = timeForNew();
        const record = newRecord(fingerprinted, intent.id ?? newId(beganAt), beganAt);
        if (await create(record)) return record;
      }
    } catch (error) {
      throw historyError(error, 'write', folder);
    }
    throw new HistoryError('history_unwritable', `${folder} already has a record of this id`, folder);
  }

  let spareBytes: Uint8Array = Buffer.alloc(0);

  let newestAt: number | null = null;

  /**
   * A record is never older than those before it, even if the clock was set back in between: `resume` must not send an older
   * change over a newer one. Ages stay right to within three hours, which keys outlive (see KEY_REUSE_MS).
   */
  function timeForNew(): number {
    newestAt ??= newestIn(listFolder(files, folder));
    const isSetBack = newestAt > now() && newestAt < now() + maxClockStepMs;
    newestAt = isSetBack ? newestAt + 1_000 : now();
    return newestAt;
  }

  function newId(time = now()): string {
    // Many at once: to ask for some takes longer than to make an id of them.
    if (spareBytes.length < 6) spareBytes = randomBytes(6 * 64);
    const random = spareBytes.subarray(0, 6);
    spareBytes = spareBytes.subarray(6);
    return newRecordId(time, random);
  }

  async function beginBatch(options: BatchOptions): Promise<Batch> {
    const { openBatch } = await import('./batch/batch.ts');
    ensureFolder(files, folder);
    waiting();
    return openBatch(files, history, options);
  }

  async function markReported(records: readonly HistoryRecord[]): Promise<void> {
    const names = new Set(listFolder(files, folder));
    const alone: HistoryRecord[] = [];
    const logged = new Map<string, HistoryRecord[]>();
    for (const record of records) {
      // A record with a file of its own is not read from the log of its batch.
      if (record.batch === null || names.has(path.basename(fileOf(folder, record.id)))) alone.push(record);
      else logged.set(record.batch, [...(logged.get(record.batch) ?? []), record]);
    }
    const updatedAt = new Date(now()).toISOString();
    for (const [batch, reported] of logged) {
      const lines = reported.map(({ id }) => toLine({ format: recordFormat, id, reported: true, updatedAt }));
      const name = lockName({ id: batch, batch });
      const isAdded = await withLock(name, async () => addLines(files, folder, batch, lines));
      if (!isAdded) alone.push(...reported);
    }
    for (const record of alone) await update(record, { state: 'applied', reported: true });
  }

  async function prune({ olderThanMs }: { olderThanMs: number }): Promise<string[]> {
    const isOld = (record: HistoryRecord) => recordAge(record, now()) > olderThanMs;
    let old = listRecords(store, { open: false }).records.filter(isOld);
    const oldIds = new Set(old.map(({ id }) => id));
    // Logs before files, which hide what an older log says.
    for (const batch of listFolder(files, folder).map(batchOfName)) {
      if (batch === null || timeOfId(batch) > now() - olderThanMs) continue;
      const lock = lockName({ id: batch, batch });
      const isForgotten = await withLock(lock, () => forget(files, folder, batch, oldIds));
      if (!isForgotten) old = old.filter((record) => record.batch !== batch);
    }
    const ids = old.map(({ id }) => id);
    for (const id of ids) {
      try {
        files.fileSystem.unlinkSync(fileOf(folder, id));
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw historyError(error, 'write', fileOf(folder, id));
      }
    }
    await locks().sweep(Date.now());
    return ids;
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

  const waiting = memoize(() => checkAll(store));

  function waitFor({ origin, storeId }: Pick<HistoryRecord, 'origin' | 'storeId'>): number {
    const own = waiting().filter((record) => record.origin === origin && record.storeId === storeId);
    return Math.max(0, ...own.map((record) => remainingWait(record, now())));
  }

  async function repair(): Promise<RepairedFile[]> {
    const { repairHistory } = await import('./repair.ts');
    return repairHistory(store, withLock);
  }

  const history: History = {
    folder,
    assertUndamaged: () => void waiting(),
    waitFor,
    repair,
    newId: () => newId(),
    begin,
    update,
    discard,
    markReported,
    beginBatch,
    list: async (query = {}) => listRecords(store, query),
    get: async (wanted) => getRecord(store, wanted),
    prune,
    acquire,
    withLock,
    now,
  };
  return history;
}
