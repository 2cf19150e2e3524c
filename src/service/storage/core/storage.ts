import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** Queries inside one transaction. */
export type Queries = Kysely<Schema>;

/** For queries that differ between the engines. */
export function isEmbedded(db: Queries): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

/** A transaction, and the store that its queries are about. */
export interface Tenant {
  readonly db: Queries;
  readonly storeId: string;
}

/**
 * Locks among all processes that share the database, held until the transaction ends. A method returns false if the lock
 * is held and waiting for it would take too long.
 */
export interface Locks {
  /** Acquires the lock of this name without waiting. */
  claim(name: readonly string[]): Promise<boolean>;
  /** Waits for the changes of the store that are running. False while the store is being restored. */
  acquireChange(): Promise<boolean>;
  /** Waits for the changes of the store that are running and stops new ones. False during another restore. */
  acquireRestore(): Promise<boolean>;
}

export type TransactionWork<Result> = (db: Queries, locks: Locks) => Promise<Result>;

/** Work may run a second time after a conflict, so it must have no effect outside of `db`. */
export interface Transactions {
  /** Runs `work` in a read-only transaction with a consistent snapshot. */
  read<Result>(work: TransactionWork<Result>): Promise<Result>;
  /**
   * Runs `work` in a transaction. It is on disk when the promise resolves, and rolled back when it rejects, unless with
   * an UnknownCommitError.
   */
  write<Result>(work: TransactionWork<Result>): Promise<Result>;
  /**
   * As `write`, for short changes that ask for `acquireChange`: those that arrive together share a commit. Independent ones
   * may run at the same time. Each of them must be right, or reject, whenever their statements come.
   */
  share<Result>(work: TransactionWork<Result>, isIndependent?: boolean): Promise<Result>;
}

/** A change that reads or replaces a whole store, and lets changes of other stores run meanwhile. */
export interface LongChange {
  /** Reads one snapshot. */
  readonly db: Queries;
  /** Held until the end of the change. */
  readonly locks: Locks;
  /** Whether what it saves is committed at once, so that it stays if the change fails or the process is killed. */
  readonly isInSteps: boolean;
  /** Ends the snapshot: while there is one, the embedded engine cannot empty its log. `db` is of no use after it. */
  endSnapshot(): void;
  /** Writes what nobody sees before `finish`. */
  save<Result>(work: (db: Queries) => Promise<Result>): Promise<Result>;
  /**
   * As `write`. No change that asks for a lock of the store has come since the snapshot if `isFresh`. After such a change
   * the embedded engine may run the whole work of a restore again, and refuse other changes of the store meanwhile.
   */
  finish<Result>(work: (db: Queries, locks: Locks, isFresh: boolean) => Promise<Result>): Promise<Result>;
}

export type LongWork<Result> = (change: LongChange) => Promise<Result>;

/** Transactions that see only the data of one store. */
export interface StoreTransactions extends Transactions {
  writeLong<Result>(work: LongWork<Result>): Promise<Result>;
}

/** Runs a long change in a single transaction. */
export function inOneTransaction<Result>(work: LongWork<Result>): TransactionWork<Result> {
  return (db, locks) =>
    work({
      ...{ db, locks, isInSteps: false },
      endSnapshot: () => {},
      save: (write) => write(db),
      finish: (write) => write(db, locks, true),
    });
}

/** What this process has done since it opened the database. */
export interface StorageUsage {
  readonly commits: number;
  /** Changes in these commits: several may share one. */
  readonly changes: number;
  /** To PostgreSQL, and how many transactions wait for one. Null on the embedded engine. */
  readonly connections: { readonly total: number; readonly idle: number; readonly waiting: number } | null;
}

export type Engine = 'embedded' | 'postgres';

/** The database. Its own transactions see all stores, for administration. */
export interface Storage extends Transactions {
  readonly engine: Engine;
  /** Connections that requests can have at a time. */
  readonly maxConnections: number;
  /** Hints for the operator about an unsafe setup. */
  readonly warnings: readonly string[];
  /** PostgreSQL enforces that they see only the data of this store. */
  forStore(storeId: string): StoreTransactions;
  /** A number that grows with every commit of any process. Null if the engine cannot tell. */
  version(): Promise<number | null>;
  usage(): StorageUsage;
  /** Waits for running transactions, on PostgreSQL for at most as long as for a lock. */
  close(): Promise<void>;
}

/** Checks that the database answers. */
export async function ping(db: Queries): Promise<void> {
  await sql`select 1`.execute(db);
}

/** Runs `step`, which removes some rows and answers how many, until there are none. Returns how many there were. */
export async function removeInSteps(step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let removed = await step(); removed > 0; removed = await step()) total += removed;
  return total;
}
