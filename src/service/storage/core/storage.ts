import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** Queries inside one transaction. */
export type Queries = Kysely<Schema>;

/** For queries that the engines put differently. */
export function isEmbedded(db: Queries): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

/** What every query about a store needs: a transaction, and whose data it may touch. */
export interface Tenant {
  readonly db: Queries;
  readonly storeId: string;
}

/**
 * Locks among all the processes that share the database, kept until the transaction ends. Each method answers false
 * when somebody else has the lock and it is not worth waiting for.
 */
export interface Locks {
  /** To do what has this name and be the only one who does. */
  claim(name: readonly string[]): Promise<boolean>;
  /** To change the store: waits for the change before. False while the store is being restored. */
  takeTurn(): Promise<boolean>;
  /** To restore the store: waits for the changes under way. False while another restores it. */
  takeStore(): Promise<boolean>;
}

export type TransactionWork<Result> = (db: Queries, locks: Locks) => Promise<Result>;

/** Work may run again from the start when the database was busy: it must only use `db`. */
export interface Transactions {
  /** Runs `work` in a read-only transaction: all that it reads is of one moment. */
  read<Result>(work: TransactionWork<Result>): Promise<Result>;
  /**
   * Runs `work` in a transaction that is on disk when the promise resolves, and has left no trace when it rejects,
   * except with an UnknownCommitError.
   */
  write<Result>(work: TransactionWork<Result>): Promise<Result>;
}

export type Engine = 'embedded' | 'postgres';

/** The database. Its own transactions see all stores: they are for those who run the service. */
export interface Storage extends Transactions {
  readonly engine: Engine;
  /** For the person who runs the service: what could be safer. */
  readonly warnings: readonly string[];
  /** Transactions that see the data of one store alone, where the engine can enforce that. */
  forStore(storeId: string): Transactions;
  /** A number that grows with every commit of any process. Null if the engine cannot tell. */
  version(): Promise<number | null>;
  /** Waits for the transactions that have begun; on PostgreSQL, which may never answer, for as long as for a lock. */
  close(): Promise<void>;
}

/** Asks the database for anything. */
export async function ping(db: Queries): Promise<void> {
  await sql`select 1`.execute(db);
}
