import { sql } from 'kysely';
import { expect } from 'vitest';
import { openStorage, type Storage } from '../../../src/service/index.ts';
import { migrations } from '../../../src/service/storage/all-migrations.ts';
import { migrate } from '../../../src/service/storage/migrate.ts';

/** Makes an empty database, without any tables, as it was before a migration. */
export async function migrateUntil(storage: Storage, name: string): Promise<void> {
  const index = migrations.findIndex((migration) => migration.name === name);
  await migrate(storage, migrations.slice(0, index));
}

/** `storage` has no tables yet. It is opened at `location` once more, by a program of today. */
export async function expectNotificationsToBeKept(storage: Storage, location: string): Promise<void> {
  await migrateUntil(storage, '0007-notifications-in-events');
  await storage.write(async (db) => {
    await sql`insert into stores
      (id, organisation_id, name, slug, status, default_currency, timezone, settings, created_at)
      values ('s', 'o', 'S', 's', 'active', 'EUR', 'UTC', '{}', 'now')`.execute(db);
    for (const [id, readAt] of [
      ['1', null],
      ['2', '2030-01-01T00:00:00.000Z'],
    ] as const) {
      await sql`insert into events (store_id, id, type, data, created_at)
        values ('s', ${id}, 'feedback_digest', '{}', ${id})`.execute(db);
      await sql`insert into notifications (store_id, id, event_id, title, body, created_at, read_at)
        values ('s', ${`n${id}`}, ${id}, ${`Title ${id}`}, ${`Body ${id}`}, ${id}, ${readAt})`.execute(db);
    }
  });
  await storage.close();

  const today = await openStorage(location);
  const rows = await today.read((db) => db.selectFrom('events').selectAll().orderBy('id').execute());
  await today.close();
  const event = { storeId: 's', type: 'feedback_digest', data: '{}' };
  expect(rows).toEqual([
    { ...event, id: '1', title: 'Title 1', body: 'Body 1', createdAt: '1', readAt: null },
    {
      ...event,
      id: '2',
      title: 'Title 2',
      body: 'Body 2',
      createdAt: '2',
      readAt: '2030-01-01T00:00:00.000Z',
    },
  ]);
}
