import { sql } from 'kysely';
import { migrations } from './all-migrations.ts';
import { ForeignDatabaseError, NewerDatabaseError } from './core/errors.ts';
import type { Migration } from './core/migration.ts';
import type { Engine, Queries, Storage } from './core/storage.ts';

/**
 * Brings the schema up to date in one transaction, under a lock: of several processes that start at once the first
 * migrates, and the others find nothing to do. What a later version has added is left alone. Rejects with a
 * NewerDatabaseError if it was a breaking change.
 */
export async function migrate(
  { engine, write }: Storage,
  wanted: readonly Migration[] = migrations,
): Promise<void> {
  await write(async (db, locks) => {
    await locks.acquireChange();
    // If the table exists, the role needs no right to create tables.
    if (!(await hasMigrationsTable(db, engine))) {
      if (engine === 'embedded') await refuseForeign(db);
      await sql`create table schema_migrations (name text primary key)`.execute(db);
    }
    const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db);
    const applied = new Set(rows.map((row) => row.name));

    for (const { name, up, engine: only = engine } of wanted) {
      if (applied.delete(name) || only !== engine) continue;
      await up(db, engine);
      await sql`insert into schema_migrations (name) values (${name})`.execute(db);
    }
    const breaking = [...applied].filter((name) => name.endsWith('!'));
    if (breaking.length > 0) {
      throw new NewerDatabaseError(
        `a later version of this program has changed the database: ${breaking.join(', ')}`,
      );
    }
  });
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
