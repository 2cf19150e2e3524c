import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStorage } from '../../../src/service/index.ts';
import type { Storage } from '../../../src/service/storage/core/storage.ts';
import { newDatabase, openService, openTestStorage, type Service } from '../helpers/service.ts';

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

/** Reads and writes everything once. Answers the bodies. */
async function useService({ call }: Service, round: string): Promise<Record<string, unknown>[]> {
  const keyed = { idempotencyKey: round };
  const post = await call('blog.create', '', { title: `Post ${round}`, contentMd: 'x' });
  const opened = await call('disputes.open', '', { kind: 'payment', reason: 'x', ...keyed });
  const backup = await call('backup.create', '', { label: 'x', sections, ...keyed });
  const answers = [
    post,
    backup,
    opened,
    await call('store.update', '', { name: `Store ${round}` }),
    await call('settings.save', '', { showcase: { enabled: true } }),
    await call('settings.show', ''),
    await call('disputes.show', opened.body.id),
    await call('disputes.decide', opened.body.id, { status: 'won', resolution: 'x' }),
    await call('notify.add-endpoint', '', {
      kind: 'discord',
      name: round,
      events: ['feedback_digest'],
      url: `https://discord.com/api/webhooks/7/${round}`,
    }),
    await call('notify.mark-read', '', {}),
    await call('backup.restore', backup.body.id, { sections, ...keyed }),
  ];
  for (const { status } of answers) expect([200, 201]).toContain(status);
  return answers.map(({ body }) => body);
}

const sections = ['store', 'blog', 'settings', 'endpoints'];

test('an instance goes on serving when a newer version has changed the schema, and starts on it too', async () => {
  const location = await newDatabase();
  const storage = await openTestStorage(location);
  const service = await openService({ storage });
  const [, earlier] = await useService(service, 'before');
  await upgrade(storage);
  expect(JSON.stringify(await useService(service, 'after'))).not.toMatch(/later/i);
  const restore = { sections, idempotencyKey: 'back' };
  expect((await service.call('backup.restore', String(earlier?.id), restore)).status).toBe(200);
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
