import { randomBytes as nodeRandomBytes } from 'node:crypto';
import path from 'node:path';
import { memoize } from '../../base/memoize.ts';
import { OPERATION_TIMEOUT_MS } from '../../client/retry.ts';
import { DamagedError, HistoryError } from '../errors.ts';
import { ensureFolder, type FileSystem, listFolder, nodeFileSystem } from './files/files.ts';
import { type Lock, type LockOptions, openLocks } from './files/lock.ts';
import { type ProcessFacts, readMachine } from './files/process-identity.ts';
import type { HistoryRecord } from './history-record.ts';
import {
  acquireLog,
  damagedFolder,
  fileOf,
  type LogFolder,
  listLogs,
  lockName,
  locksFolder,
  readLog,
  type StoreIdentity,
} from './log-folder.ts';
import { type LogName, parseLogName } from './log-name.ts';
import type { LogWriter } from './log-writer.ts';
import { beginLog, type LogStart, type ReopenOptions, reopenLog } from './open-log.ts';
import type { PruneOptions } from './prune.ts';
import type { RepairedLog } from './repair.ts';
import { settleLog } from './settle.ts';

export type { StoreIdentity } from './log-folder.ts';
export type { LogName } from './log-name.ts';
export type { LogWriter } from './log-writer.ts';
export type { RepairedLog } from './repair.ts';

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
  readonly lockPatienceMs?: number | undefined;
}

/** A file in the folder that is not a whole log. It stays where it is. */
export interface HistoryProblem {
  readonly file: string;
  /** `foreign`: something else lies in the folder. Everything else makes changes that read it fail. */
  readonly kind: 'damaged' | 'newer' | 'foreign';
  /** Continues the name of the file: `is empty`. */
  readonly message: string;
}

/** The logs of one store, one for each run that changes something. */
export interface Journal {
  readonly folder: string;
  readonly store: StoreIdentity;
  /** Epoch milliseconds. */
  now(): number;
  /** The logs in the folder by their names, lowest number first. See `listLogs`. */
  logs(mayMatter?: (name: string) => boolean): LogName[];
  /** The same, with what lies in the folder and is no log. */
  inspect(): { logs: LogName[]; problems: HistoryProblem[] };
  /** What {@link read} has thrown, as a problem. Throws what is not a HistoryError. */
  problemOf(log: LogName, error: unknown): HistoryProblem;
  /**
   * The records of a log, oldest first. Throws a DamagedError, or another HistoryError if it cannot be read; empty if it is
   * gone (under any name of its id).
   */
  read(log: LogName): HistoryRecord[];
  /** Whether a running process holds the log's lock. Does not wait. */
  isHeld(id: string): boolean;
  /**
   * Makes a log with its first records; on disk under its name when the promise resolves. Throws a HistoryError
   * `secret_in_record`, before it writes, if a request contains one of the `secrets`.
   */
  begin(start: LogStart): Promise<LogWriter>;
  /**
   * Takes the lock of a log, waits for another holder, cuts a broken last line off, and goes on writing. Throws a HistoryError
   * `record_not_found` if it is gone.
   */
  reopen(id: string, options?: ReopenOptions): Promise<LogWriter>;
  /** Takes the lock of a log, and waits for another holder. */
  acquireLog(id: string, options?: LockOptions): Promise<Lock>;
  /** A lock among all processes that share the folder; it dies with its holder. */
  acquire(name: string, options?: LockOptions): Promise<Lock>;
  /**
   * To be called for a log that is not named `closed` and has no open record: renames it if no wait is left either. Does
   * nothing while another process holds it. Never rejects.
   */
  settle(log: LogName): Promise<void>;
  /** Removes old logs without an open record, and files of killed processes. Returns the logs that it removed. */
  prune(options: PruneOptions): Promise<LogName[]>;
  /** Sets copies of damaged logs aside, and replaces them by what can be read of them. */
  repair(): Promise<RepairedLog[]>;
}

/** The journal in a folder. Touches nothing until it is used. */
export function openJournal(settings: JournalSettings): Journal {
  const { now = Date.now, randomBytes = nodeRandomBytes, store, profile } = settings;
  const files = { fileSystem: settings.fileSystem ?? nodeFileSystem, platform: settings.process.platform };
  const locks = memoize(() =>
    openLocks({
      folder: path.join(settings.folder, locksFolder),
      files,
      machine: readMachine(settings.process),
      randomBytes,
      silenceMs: settings.lockSilenceMs ?? 30_000,
      patienceMs: settings.lockPatienceMs ?? OPERATION_TIMEOUT_MS,
    }),
  );
  const folder: LogFolder = { path: settings.folder, files, store, profile, now, randomBytes, locks };

  function inspect() {
    const names = listFolder(files, folder.path);
    const isForeign = (name: string) =>
      !(
        name.startsWith('.') ||
        name === locksFolder ||
        name === damagedFolder ||
        parseLogName(name) !== null
      );
    const problems = names.filter(isForeign).map(
      (name): HistoryProblem => ({
        file: fileOf(folder, name),
        kind: 'foreign',
        message: 'is not a log of storectl',
      }),
    );
    return { logs: listLogs(folder), problems };
  }

  return {
    folder: folder.path,
    store,
    now,
    logs: (mayMatter) => listLogs(folder, mayMatter),
    inspect,
    problemOf(log, error) {
      if (!(error instanceof HistoryError)) throw error;
      const file = error.file ?? fileOf(folder, log.name);
      if (error instanceof DamagedError) return { file, kind: error.kind, message: error.problem };
      return { file, kind: 'damaged', message: `cannot be read: ${error.message}` };
    },
    read: (log) => [...(readLog(folder, log)?.records.values() ?? [])],
    acquireLog: (id, options) => acquireLog(folder, id, options),
    isHeld: (id) => locks().isHeld(lockName(id)),
    begin: (start) => beginLog(folder, start),
    reopen: (id, options) => reopenLog(folder, id, options),
    async acquire(name, options) {
      ensureFolder(files, folder.path);
      return locks().acquire(name, options);
    },
    settle: (log) => settleLog(folder, log),
    prune: async (options) => (await import('./prune.ts')).pruneLogs(folder, options),
    repair: async () => (await import('./repair.ts')).repairLogs(folder),
  };
}
