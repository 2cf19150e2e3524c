import { setTimeout as sleep } from 'node:timers/promises';
import { CamelCasePlugin, Kysely, sql } from 'kysely';
import { createDatabaseFile, openEmbedded } from './embedded.ts';
import { isBusy } from './engine-errors.ts';
import { migrate } from './migrate.ts';
import type { Schema } from './schema.ts';

/** Queries inside one transaction. */
export type Queries = Kysely<Schema>;

/** What every query about a store needs: a transaction, and whose data it may touch. */
export interface Tenant {
  readonly db: Queries;
  readonly storeId: string;
}

export type Engine = 'embedded' | 'postgres';

/** The database. Work given to it may run again from the start when the database was busy: it must only use `db`. */
export interface Storage {
  readonly engine: Engine;
  /** Runs `work` in a read-only transaction: all that it reads is of one moment. */
  read<Result>(work: (db: Queries) => Promise<Result>): Promise<Result>;
  /** Runs `work` in a transaction that is on disk when the promise resolves, and has left no trace when it rejects. */
  write<Result>(work: (db: Queries) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface StorageOptions {
  /** How long to wait while another process holds the database. 5 s unless given. */
  readonly busyTimeoutMs?: number;
}

/** Another process held the database for longer than the busy timeout. Nothing was changed. */
export class StorageBusyError extends Error {
  override readonly name = 'StorageBusyError';
}

/**
 * Opens the database at a file path or `:memory:`, creating and migrating it as needed. Any number of processes may
 * have one file open. Rejects with a {@link StorageBusyError}, with `NewerDatabaseError` when a later version of
 * this program has migrated the file, or with the error of the file system or the engine.
 */
export async function openStorage(location: string, options: StorageOptions = {}): Promise<Storage> {
  const patience = options.busyTimeoutMs ?? 5_000;
  await createDatabaseFile(location);
  const dialect = await whileBusy(patience, async () => openEmbedded(location));
  const db = new Kysely<Schema>({ dialect, plugins: [new CamelCasePlugin()] });

  const storage: Storage = {
    engine: 'embedded',
    read: (work) => whileBusy(patience, () => db.transaction().setAccessMode('read only').execute(work)),
    write: (work) => whileBusy(patience, () => db.transaction().execute(work)),
    close: () => db.destroy(),
  };
  try {
    await migrate(storage);
    return storage;
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Runs `attempt` again while the engine says busy, yielding in between: the lock may be held by this process. */
async function whileBusy<Result>(patienceMs: number, attempt: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() + pause > deadline) {
        throw new StorageBusyError('another process is holding the database', { cause: error });
      }
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

/** Asks the database for anything. */
export async function ping(db: Queries): Promise<void> {
  await sql`select 1`.execute(db);
}
