import { sql } from 'kysely';
import { migrations } from './migrations.ts';
import type { Storage } from './storage.ts';

/** A later version of this program has changed the database, and this one does not know how. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/**
 * Brings the schema up to date in one transaction. Its write lock makes two processes that start at once take
 * turns, and the second finds nothing left to do.
 */
export async function migrate(storage: Storage): Promise<void> {
  await storage.write(async (db) => {
    await sql`create table if not exists schema_migrations (name text primary key)`.execute(db);
    const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db);
    const applied = new Set(rows.map((row) => row.name));

    for (const { name, up } of migrations) {
      if (applied.delete(name)) continue;
      await up(db, storage.engine);
      await sql`insert into schema_migrations (name) values (${name})`.execute(db);
    }
    if (applied.size > 0) {
      throw new NewerDatabaseError(
        `a later version of this program has changed the database: ${[...applied].join(', ')}`,
      );
    }
  });
}
