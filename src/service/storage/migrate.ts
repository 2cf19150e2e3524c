import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ForeignDatabaseError, NewerDatabaseError } from './core/errors.ts';
import type { Migration } from './core/migration.ts';
import { type Engine, ping, type Queries, type Storage } from './core/storage.ts';
import { schema } from './migrations/0001-schema.ts';

/** In the order in which they run. A released migration is never edited: add a new one, as docs/releasing.md says. */
export const migrations: readonly Migration[] = [schema];

/** How often the connection that holds the lock is used: one that is idle for long is closed. */
const pingMs = 10_000;

/** Between two attempts to take the lock. */
const lockPauseMs = 100;

/**
 * Brings the schema up to date under a lock: of several processes that start at once one migrates, and the others find
 * nothing to do. What a later version has added is left alone. Rejects with a NewerDatabaseError if it was a breaking
 * change.
 */
export async function migrate(storage: Storage, wanted: readonly Migration[] = migrations): Promise<void> {
  const { engine, write } = storage;
  const applied = await write(async (db) => {
    await lock(db, engine);
    // If the table exists, the role needs no right to create tables.
    if (!(await hasMigrationsTable(db, engine))) {
      if (engine === 'embedded') await refuseForeign(db);
      await sql`create table schema_migrations (name text primary key)`.execute(db);
    }
    return listApplied(db);
  });
  const later = [...applied].filter((name) => !wanted.some((migration) => migration.name === name));
  const breaking = later.filter((name) => name.endsWith('!'));
  if (breaking.length > 0) {
    throw new NewerDatabaseError(
      `a later version of this program has changed the database: ${breaking.join(', ')}`,
    );
  }
  for (const migration of wanted) {
    if (!applied.has(migration.name)) await write((db) => apply(storage, db, migration));
  }
}

async function apply(
  { engine, outsideTransaction }: Storage,
  db: Queries,
  migration: Migration,
): Promise<void> {
  const { name, up, index } = migration;
  await lock(db, engine);
  if ((await listApplied(db)).has(name)) return;
  await up?.(db, engine);
  if (index !== undefined && outsideTransaction === null) {
    await sql.raw(`create index ${index.name} on ${index.on}`).execute(db);
  } else if (index !== undefined && outsideTransaction !== null) {
    // This transaction only holds the lock. What a process that was killed has left is not valid.
    const alive = setInterval(() => void ping(db).catch(() => {}), pingMs);
    try {
      await outsideTransaction(`drop index concurrently if exists ${index.name}`);
      await outsideTransaction(`create index concurrently ${index.name} on ${index.on}`);
    } finally {
      clearInterval(alive);
    }
  }
  await sql`insert into schema_migrations (name) values (${name})`.execute(db);
}

/** The embedded engine runs one transaction that writes at a time. */
async function lock(db: Queries, engine: Engine): Promise<void> {
  if (engine === 'embedded') return;
  const attempt = sql<{
    granted: boolean;
  }>`select pg_try_advisory_xact_lock(hashtextextended('storectl migrations', 0)) as granted`;
  // Not in one statement that waits: the one that holds the lock may build an index, which waits for older statements.
  while ((await attempt.execute(db)).rows[0]?.granted !== true) await sleep(lockPauseMs);
}

async function listApplied(db: Queries): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db);
  return new Set(rows.map((row) => row.name));
}

/** A file belongs to one program. A PostgreSQL database may be shared with others. */
async function refuseForeign(db: Queries): Promise<void> {
  const { rows } = await sql<{
    name: string;
  }>`select name from sqlite_master where type = 'table' limit 1`.execute(db);
  const [table] = rows;
  if (table === undefined) return;
  throw new ForeignDatabaseError(
    `the file is the database of another program (it has a table "${table.name}")`,
  );
}

async function hasMigrationsTable(db: Queries, engine: Engine): Promise<boolean> {
  const query =
    engine === 'postgres'
      ? sql`select 1 where to_regclass('schema_migrations') is not null`
      : sql`select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'`;
  return (await query.execute(db)).rows.length > 0;
}
