import type { FileSystem } from './files.ts';
import type { Lock, LockOptions } from './lock.ts';
import type { ProcessFacts } from './process-identity.ts';
import type { HistoryRecord, Intent, RecordChange } from './history-record.ts';

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
  readonly lockPatienceMs?: number | undefined;
}

/** What the name of a log says: `000123-20261123-k3f9a2-blog.create.open.jsonl`. */
export interface LogName {
  /** Name in the folder. */
  readonly name: string;
  readonly number: number;
  /** UTC, `20261123`: for ages only. */
  readonly date: string;
  readonly id: string;
  readonly operation: string;
  /**
   * A hint: `open` has no closing line yet, `unsettled` has one and records that are open or a wait that the store asked
   * for, `closed` is anything else.
   */
  readonly status: 'open' | 'unsettled' | 'closed';
}

/** A file in the folder that is not a whole log. It stays where it is. */
export interface HistoryProblem {
  readonly file: string;
  /** `foreign`: something else lies in the folder. Everything else makes changes that read it fail. */
  readonly kind: 'damaged' | 'newer' | 'foreign';
  /** Continues the name of the file: `is empty`. */
  readonly message: string;
}

/** Writes a log. Whoever has one holds the log's lock. */
export interface LogWriter {
  readonly id: string;
  readonly number: number;
  /** Records of the log as they are now, by id, oldest first. */
  readonly records: ReadonlyMap<string, HistoryRecord>;
  /** Characters written so far. */
  readonly size: number;
  /**
   * Adds records. Their ids are `id.1`, `id.2` …, or the log's id if `isMain`. On disk when the promise resolves, together
   * with whatever else was added in the same turn of the event loop: that is one line. Rejects with a HistoryError; then
   * nothing more can be written, and nothing may be sent.
   */
  add(intents: readonly Intent[], options?: { readonly isMain?: boolean }): Promise<HistoryRecord[]>;
  /** Changes records, as {@link add}. With `mayWait`, up to 10 ms later, with the next line. */
  change(changes: readonly RecordChange[], options?: { readonly mayWait?: boolean }): Promise<HistoryRecord[]>;
  /** Throws a HistoryError `history_busy` when another process has taken the log's lock over. */
  assertHeld(): void;
  /**
   * Writes the closing line, and releases the lock: every record whose outcome is known counts as told. Syncs the line before
   * the name says that the log is closed. Never rejects.
   */
  close(): Promise<void>;
}

/** The logs of one store, one for each run that changes something. */
export interface Journal {
  readonly folder: string;
  readonly store: StoreIdentity;
  /** Epoch milliseconds. */
  now(): number;
  /** The logs in the folder by their names, lowest number first. */
  logs(): LogName[];
  /**
   * The records of a log, oldest first. Throws a DamagedError, or another HistoryError if it cannot be read; empty if it is gone
   * (under any name of its id).
   */
  read(log: LogName): HistoryRecord[];
  /** Whether a running process holds the log's lock. Does not wait. */
  isHeld(id: string): boolean;
  /**
   * Makes a log with its first records; on disk under its name when the promise resolves. Throws a HistoryError
   * `secret_in_record`, before it writes, if a request contains one of the `secrets`.
   */
  begin(start: {
    readonly operation: string;
    readonly intents: readonly Intent[];
    /** The first records have ids with a number: more will follow. */
    readonly isBatch: boolean;
    readonly secrets: readonly string[];
  }): Promise<LogWriter>;
  /** Takes the lock of a log, waits for another holder, cuts a broken last line off, and goes on writing. */
  reopen(id: string, options?: LockOptions): Promise<LogWriter>;
  /** A lock among all processes that share the folder; it dies with its holder. */
  acquire(name: string, options?: LockOptions): Promise<Lock>;
}
