import { randomBytes as nodeRandomBytes } from 'node:crypto';
import path from 'node:path';
import { assertWritable, ensureFolder, type FileSystem } from '../../base/files/files.ts';
import { type Lock, type LockOptions, openLocks } from '../../base/files/lock.ts';
import { type ProcessFacts, readMachine } from '../../base/files/process-identity.ts';
import { memoize } from '../../base/memoize.ts';
import { OPERATION_TIMEOUT_MS } from '../../client/outcome/retry.ts';
import { historyFiles } from '../record/errors.ts';
import { locksFolder } from './log-name.ts';

/** The store whose changes a journal records. */
export interface StoreIdentity {
  /** See `normalizeBaseUrl`; `demo` for the demo service. */
  readonly baseUrl: string;
  /** A UUID in lower case. */
  readonly storeId: string;
}

export interface JournalSettings {
  /** Absolute path of the folder with the logs of this store. The first write makes the folder. */
  readonly folder: string;
  readonly store: StoreIdentity;
  /** Written into the header of each log. */
  readonly profile: string;
  /** Node's `process`. */
  readonly process: ProcessFacts;
  readonly now?: () => number;
  readonly randomBytes?: (size: number) => Buffer;
  readonly fileSystem?: FileSystem;
  /** See LockSettings. */
  readonly lockSilenceMs?: number;
  /** See LockSettings. By default as long as an operation may take. */
  readonly lockTimeoutMs?: number | undefined;
}

/** The logs of one store: their folder, their file system and their locks. */
export type Journal = ReturnType<typeof openJournal>;

/** The journal in a folder. Opening it reads and writes nothing. */
export function openJournal(settings: JournalSettings) {
  const { folder, store, profile } = settings;
  const files = historyFiles(settings.process.platform, settings.fileSystem);
  const randomBytes = settings.randomBytes ?? ((size: number) => nodeRandomBytes(size));
  const locks = memoize(() =>
    openLocks({
      folder: path.join(folder, locksFolder),
      files,
      machine: readMachine(settings.process),
      randomBytes,
      silenceMs: settings.lockSilenceMs ?? 30_000,
      timeoutMs: settings.lockTimeoutMs ?? OPERATION_TIMEOUT_MS,
    }),
  );
  const lockName = (id: string) => `log ${id}`;

  /** Takes a lock among all processes that share the folder. The lock ends with its process. Makes the folder if it is missing. */
  async function acquire(name: string, options?: LockOptions): Promise<Lock> {
    ensureFolder(files, folder);
    return locks().acquire(name, options);
  }

  return {
    folder,
    store,
    profile,
    files,
    /** Epoch milliseconds. */
    now: settings.now ?? Date.now,
    randomBytes,
    acquire,
    /** Throws a HistoryError if the folder cannot be written, so that no change could be recorded. */
    assertWritable: () => assertWritable(files, folder, `.probe-${randomBytes(8).toString('hex')}`),
    /** Throws a HistoryError `lock_lost` if another process has taken over a lock that this process holds. */
    assertHeld: () => locks().assertHeld(),
    /** Takes the log lock with this id. Waits for a process that holds it. */
    acquireLog: (id: string, options?: LockOptions) => acquire(lockName(id), options),
    sweepLocks: () => locks().sweep(),
    /** Whether a running process holds the log lock with this id. Does not wait. */
    isLogHeld: (id: string) => locks().isHeld(lockName(id)),
  };
}
