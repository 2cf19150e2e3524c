import type { CallInput, Client } from '../client/client.ts';
import type { Outcome } from '../client/outcome.ts';
import type { Lock, LockOptions } from './files/lock.ts';
import type { RecordQuery } from './records/query.ts';
import type { HistoryRecord } from './records/record.ts';
import type { FingerprintedIntent, Intent, Target } from './records/request-intent.ts';

/** What changes in a record while its operation runs. */
export type RecordPatch = Partial<
  Pick<HistoryRecord, 'state' | 'attempts' | 'sentAt' | 'answer' | 'failure' | 'reported'>
>;

/** A file in the history's folder that is not a usable record. It stays where it is. */
export interface HistoryProblem {
  readonly file: string;
  /** `foreign`: something else lies in the folder. Everything else makes commands that change something fail. */
  readonly kind: 'damaged' | 'newer' | 'foreign';
  /** Continues the name of the file: `is empty`. */
  readonly message: string;
}

/** A damaged file that {@link History.repair} has moved aside. */
export interface RepairedFile {
  readonly file: string;
  readonly movedTo: string;
  /** Continues the name of the file. */
  readonly message: string;
  /** What can still be read of each record that is lost; null is not readable. */
  readonly lost: readonly SalvagedRecord[];
}

export type SalvagedRecord = {
  readonly [name in 'id' | 'operation' | 'createdAt' | 'storeId' | 'idempotencyKey' | 'state']: string | null;
};

export interface History {
  readonly folder: string;
  /** A new id for {@link begin}. */
  newId(): string;
  /**
   * Writes the intent as a `prepared` record; on disk when the promise resolves. Throws a HistoryError
   * `secret_in_record`, before it writes, if path or body contain one of the `secrets`.
   */
  begin(intent: Intent, secrets?: readonly string[]): Promise<HistoryRecord>;
  /**
   * Replaces the record's file; on disk when the promise resolves. At any moment the file is the old or the new one,
   * whole. Fields that the patch does not name keep what the file says. An applied record never becomes anything
   * else. The caller holds the record's lock.
   */
  update(record: HistoryRecord, patch: RecordPatch): Promise<HistoryRecord>;
  /** Removes a record of which nothing was sent, as far as that is possible: a full disk does not prevent it. */
  discard(record: HistoryRecord): void;
  /** Records that the answers of these applied records have reached the user. */
  markReported(records: readonly HistoryRecord[]): Promise<void>;
  /** Starts a batch: many operations in one log. */
  beginBatch(options: BatchOptions): Promise<Batch>;
  /** Newest first. Files that cannot be used are problems, not errors. */
  list(query?: RecordQuery): Promise<{ records: HistoryRecord[]; problems: HistoryProblem[] }>;
  /**
   * The record with this id, or the only one whose id begins with it or ends with it after a hyphen.
   * Throws a HistoryError `record_not_found`, `record_ambiguous`, `history_damaged` or `history_unreadable`.
   */
  get(id: string): Promise<HistoryRecord>;
  /**
   * Throws a HistoryError `history_damaged` if a record cannot be read or does not match its checksum: what it says is
   * needed to send nothing twice. Looks at all records, once per process.
   */
  assertUndamaged(): void;
  /**
   * Milliseconds for which the last answers of a store, to any command, asked to send it nothing. Throws as
   * {@link assertUndamaged}.
   */
  waitFor(store: Pick<HistoryRecord, 'origin' | 'storeId'>): number;
  /** Moves damaged files aside, and returns what can still be read of them. Whole records of a batch's log stay. */
  repair(): Promise<RepairedFile[]>;
  /** Removes older records that are not open and returns their ids. Also removes what killed processes left. */
  prune(options: { olderThanMs: number }): Promise<string[]>;
  /** A lock among all processes that share the folder; it dies with its holder. See files/lock.ts. */
  acquire(name: string, options?: LockOptions): Promise<Lock>;
  withLock<Result>(
    name: string,
    run: (lock: Lock) => Promise<Result>,
    options?: LockOptions,
  ): Promise<Result>;
  /** Epoch milliseconds. */
  now(): number;
}

/** What every function that sends needs. */
export interface SendOptions {
  readonly history: History;
  readonly client: Client;
  readonly timeoutMs?: CallInput['timeoutMs'] | undefined;
  readonly signal?: CallInput['signal'] | undefined;
  readonly inBatch?: CallInput['inBatch'] | undefined;
  /** Between two reads of something that may still be changing, in milliseconds; 2 s by default. */
  readonly settlePauseMs?: number | undefined;
}

/** What came of an operation. */
export interface Performed {
  readonly record: HistoryRecord;
  /** False if the record is no longer on disk, so that `resume` cannot find it. */
  readonly isRecorded: boolean;
  /**
   * Its outcome by all that this machine knows: if an earlier run may have been applied, a later
   * failure to send leaves it `unknown`.
   */
  readonly outcome: Outcome;
  /** What the user should know besides, one sentence each. */
  readonly warnings: readonly string[];
}

/** What all operations of a batch share. They are never keyed, so none continues an earlier record. */
export interface BatchOptions extends Target, Pick<SendOptions, 'client' | 'timeoutMs' | 'signal'> {
  /** The API key: a request that contains it is refused. */
  readonly secrets: readonly string[];
  /** Maximum number of requests in flight, now. */
  maxAtOnce(): number;
  /** Called before each wait for another attempt. */
  onRetry?(): void;
  /** Whether to stop sending: requests that wait then end as `not_sent`. */
  isOver(): boolean;
}

/** Many operations that change something, one after the other or in parallel, in one log. */
export interface Batch {
  /** Prepares the operation with this body for {@link perform}. Nothing is written yet. */
  prepare(body: Readonly<Record<string, unknown>> | null): FingerprintedIntent;
  /** As `performRecorded`, with the same promises: the record is on disk before the first byte is sent. */
  perform(prepared: FingerprintedIntent): Promise<Performed>;
  /** Runs another kind of request in a slot of the batch; null if the batch is over before. */
  inSlot<Result>(send: () => Promise<Result>): Promise<Result | null>;
  /** To be called when nothing is being performed any more. */
  end(): void;
}
