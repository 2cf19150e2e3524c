import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import Database from 'libsql';

/**
 * How long one statement blocks this thread while another process holds the lock. Short, because the holder may be
 * another connection of this very process: longer waits are the caller's, who can let others run meanwhile.
 */
const blockingMilliseconds = 10;

/** Makes the folder (0700) and the file (0600) where they are missing. The engine gives its side files the same mode. */
export async function createDatabaseFile(location: string): Promise<void> {
  if (location === ':memory:') return;
  await mkdir(dirname(location), { recursive: true, mode: 0o700 });
  const file = await open(location, 'a', 0o600);
  await file.close();
}

/**
 * Opens the embedded engine (SQLite by way of libsql): write-ahead log, every commit synced, foreign keys checked.
 * Throws an error that {@link isBusy} recognises when another process is just setting the file up.
 */
export function openEmbedded(location: string): Dialect {
  const database = new Database(location);
  try {
    database.pragma(`busy_timeout = ${blockingMilliseconds}`);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ImmediateDriver({ database }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/**
 * A transaction that may write takes the write lock at its start. One that reads first and takes the lock at its
 * first write fails at once, whatever the timeout, when another process has written in between.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings = {},
  ): Promise<void> {
    const begin = settings.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }
}

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

export function isUniqueViolation(error: unknown): boolean {
  return /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
