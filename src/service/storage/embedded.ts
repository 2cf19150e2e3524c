import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import Database from 'libsql';

/** Makes the folder (0700) and the file (0600) where they are missing. The engine gives its side files the same mode. */
export async function createDatabaseFile(location: string): Promise<void> {
  if (location === ':memory:') return;
  await mkdir(dirname(location), { recursive: true, mode: 0o700 });
  const file = await open(location, 'a', 0o600);
  await file.close();
}

/**
 * Opens the embedded engine (SQLite by way of libsql): write-ahead log, every commit synced, foreign keys checked.
 * Throws the engine's busy error when another process is just setting the file up.
 */
export function openEmbedded(location: string): Dialect {
  const database = new Database(location);
  try {
    // A timeout here would block this thread, and the lock may be held by another connection of this very process:
    // waiting is done by the caller, who lets others run meanwhile.
    database.pragma('busy_timeout = 0');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ImmediateDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/**
 * A transaction that may write takes the write lock at its start. One that reads first and takes the lock at its
 * first write cannot be continued when another process has written in between.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    super({ database });
    this.#database = database;
  }

  /** By `exec`: libsql never resets a prepared BEGIN that found the database busy, and the connection stays locked. */
  override async beginTransaction(_: DatabaseConnection, settings: TransactionSettings = {}): Promise<void> {
    this.#database.exec(settings.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }
}
