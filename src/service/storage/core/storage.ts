import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** Queries, mostly inside one transaction. */
export interface Queries extends Kysely<Schema> {
  readonly engine: Engine;
  /** Runs SQL without Kysely, which takes as long as the engine for that. */
  readonly run: RunStatement;
}

/** Result of a statement. */
export interface StatementResult<Row = object> {
  readonly rows: readonly Row[];
  /** How many rows it inserted, updated or deleted. */
  readonly changes: number;
}

/** For an engine that keeps statements: parsed and planned once for a connection. */
export interface KnownStatement {
  /** Unique. */
  readonly name: string;
  /** Nobody waits for its response: if it fails, the end of the transaction rejects. */
  readonly isEffect: boolean;
}

/** Runs one statement of an engine. Its rows have the names of the columns. */
export type RunStatement = (
  text: string,
  parameters: readonly unknown[],
  known?: KnownStatement,
) => StatementResult | Promise<StatementResult>;

/** Queries, and the store that they are about. */
export interface Tenant {
  readonly db: Queries;
  readonly storeId: string;
}

/** An object of a store. */
export interface ObjectRef {
  readonly storeId: string;
  readonly id: string;
}

export type TransactionWork<Result> = (db: Queries) => Promise<Result>;

export interface Transactions {
  /** Runs `work`, which only reads. Each of its statements sees what is committed by then. */
  read<Result>(work: TransactionWork<Result>): Promise<Result>;
  /**
   * Runs `work` in a transaction. It is on disk when the promise resolves, and rolled back when it rejects, unless with
   * an UnknownCommitError. PostgreSQL may run `work` several times, so it must not change anything outside.
   */
  write<Result>(work: TransactionWork<Result>): Promise<Result>;
}

/** Transactions that see only the data of one store. */
interface StoreTransactions extends Transactions {
  /**
   * As `write`, for changes of the store: the statements of no two of them run at the same time, in any process. Rejects with
   * `not_found` if the store does not exist or was deleted. Who locks endpoints or deliveries as well does so in this order.
   */
  change<Result>(work: TransactionWork<Result>): Promise<Result>;
}

/** What this process has done since it opened the database. */
export interface StorageUsage {
  readonly commits: number;
  /** Changes in these commits: on the embedded engine several may share one. */
  readonly changes: number;
  /** To PostgreSQL, and how many transactions wait for one. Null on the embedded engine. */
  readonly connections: { readonly total: number; readonly idle: number; readonly waiting: number } | null;
}

export type Engine = 'embedded' | 'postgres';

/** The database. Its own transactions see all stores, for administration. */
export interface Storage extends Transactions {
  readonly engine: Engine;
  /** Hints for the operator about an unsafe setup. */
  readonly warnings: readonly string[];
  /** Who runs commands on it, if that is not the user of this process: for `operator_log`. */
  readonly operator?: string | undefined;
  /** PostgreSQL enforces that they see only the data of this store. */
  forStore(storeId: string): StoreTransactions;
  /** Runs a statement that PostgreSQL refuses in a transaction, however long it takes. Null on the embedded engine. */
  readonly outsideTransaction: ((statement: string) => Promise<void>) | null;
  usage(): StorageUsage;
  /** Waits for running transactions, on PostgreSQL for at most as long as for a lock. */
  close(): Promise<void>;
}

/** Checks that the database answers. */
export async function ping(db: Queries): Promise<void> {
  await sql`select 1`.execute(db);
}
