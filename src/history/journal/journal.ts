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
  /** Folder of this store's logs, absolute. Made when something is first written. */
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
  /** See LockSettings: as long as an operation may take where it is not given. */
  readonly lockTimeoutMs?: number | undefined;
}

/** The logs of one store, one for each run that changes something: where they are, and what it takes to write them. */
export type Journal = ReturnType<typeof openJournal>;

/** The journal in a folder. Touches nothing until it is used. */
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

  /** A lock among all processes that share the folder, which is made if it is missing; it dies with its holder. */
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
    /** Throws a HistoryError if a change could not be recorded, because the folder cannot be written. */
    assertWritable: () => assertWritable(files, folder, `.probe-${randomBytes(8).toString('hex')}`),
    /** Throws a HistoryError `lock_lost` when another process has taken over any lock that this journal holds. */
    assertHeld: () => locks().assertHeld(),
    /** Takes the lock of a log, and waits for another holder. */
    acquireLog: (id: string, options?: LockOptions) => acquire(lockName(id), options),
    sweepLocks: () => locks().sweep(),
    /** Whether a running process holds the log's lock. Does not wait. */
    isLogHeld: (id: string) => locks().isHeld(lockName(id)),
  };
}
