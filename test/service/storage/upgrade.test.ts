import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { sectionNames } from '../../../src/contract/operations/backups.ts';
import { listKeys, openStorage } from '../../../src/service/index.ts';
import type { Storage } from '../../../src/service/storage/core/storage.ts';
import { tables } from '../../../src/service/storage/core/tables.ts';
import { newDatabase, openService, openTestStorage } from '../helpers/service.ts';
import { useEverything } from '../helpers/use-everything.ts';

/** What a newer version may do: it adds a column to every table, a table and an index. */
async function upgrade(storage: Storage): Promise<void> {
  await storage.write(async (db) => {
    const list =
      storage.engine === 'postgres'
        ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`
        : sql<{
            name: string;
          }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`;
    for (const { name } of (await list.execute(db)).rows) {
      if (name !== 'schema_migrations') {
        await sql`alter table ${sql.table(name)} add column of_later text default 'later'`.execute(db);
      }
    }
    await sql`create table of_later (id text primary key)`.execute(db);
    await sql`create index of_later_events on events (created_at)`.execute(db);
    await sql`insert into schema_migrations (name) values ('9999-later')`.execute(db);
  });
}

test('an instance goes on serving when a newer version has changed the schema, and starts on it too', async () => {
  const location = await newDatabase();
  const storage = await openTestStorage(location);
  const service = await openService({ storage });
  const { 'backup.create': earlier } = await useEverything(service, 'before');
  await upgrade(storage);
  expect(JSON.stringify(await useEverything(service, 'after'))).not.toMatch(/later/i);
  expect(JSON.stringify(await listKeys(storage, service.storeId, 10))).not.toMatch(/later/i);
  const restore = { sections: sectionNames, idempotencyKey: 'back' };
  expect((await service.call('backup.restore', earlier.id, restore)).status).toBe(200);
  const restarted = await openStorage(location);
  await restarted.close();
});

test('an instance does not start after a change that it could not live with', async () => {
  const location = await newDatabase();
  const storage = await openTestStorage(location);
  await storage.write((db) => sql`insert into schema_migrations (name) values ('9999-later!')`.execute(db));
  await expect(openStorage(location)).rejects.toMatchObject({
    name: 'NewerDatabaseError',
    message: expect.stringContaining('9999-later!'),
  });
  // The tests share databases.
  await storage.write((db) => sql`delete from schema_migrations where name = '9999-later!'`.execute(db));
});

test('a new database has each table and column that tables.ts names', async () => {
  const storage = await openTestStorage();
  for (const [table, columns] of Object.entries(tables)) {
    const names = Object.keys(columns) as 'id'[];
    await storage.read((db) =>
      db
        .selectFrom(table as 'events')
        .select(names)
        .limit(1)
        .execute(),
    );
  }
});
