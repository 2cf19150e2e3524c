import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { HttpRequest } from '../../../../src/service/http/http-message.ts';
import { createHealth, createMetrics, openStorage, StorageBusyError } from '../../../../src/service/index.ts';
import { startForwarder } from '../../../helpers/forwarder.ts';
import { query, startPostgres, type TestDatabase } from '../../../helpers/postgres.ts';
import { rowsOf } from '../../../helpers/rows.ts';
import { openService, openTestStorage } from '../../helpers/service.ts';

const cluster = await startPostgres();
afterAll(() => cluster.stop());

async function freshDatabase(): Promise<TestDatabase> {
  const database = await cluster.createDatabase();
  onTestFinished(database.drop);
  return database;
}

/** A forwarder before a new database, and the URL through it. */
async function forwardedDatabase() {
  const { url } = await freshDatabase();
  const { port } = new URL(url);
  const proxy = await startForwarder(Number(port));
  onTestFinished(proxy.stop);
  return { proxy, url: url.replace(port, String(proxy.port)) };
}

test('a server that falls silent is 503 long before its connections time out, and used again when it answers', async () => {
  const { proxy, url } = await forwardedDatabase();
  const storage = await openStorage(url, { busyTimeoutMs: 200_000 });
  onTestFinished(() => storage.close());
  const service = await openService({ storage });
  expect((await service.send('GET', '/readyz')).status).toBe(200);

  proxy.setSilent(true);
  const answers = await Promise.all([
    service.send('GET', '/readyz'),
    service.call('settings.show', ''),
    service.call('blog.create', '', { title: 'A', contentMd: 'x' }),
  ]);
  expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
    Array(3).fill([503, '1']),
  );
  expect((await service.send('GET', '/healthz')).status).toBe(200);
  proxy.setSilent(false);
  expect((await service.send('GET', '/readyz')).status).toBe(200);
  expect((await service.call('blog.create', '', { title: 'A', contentMd: 'x' })).status).toBe(201);
});

test('a server that falls silent is noticed while requests go on, whose connections are closed', async () => {
  const { proxy, url } = await forwardedDatabase();
  const storage = await openStorage(url, { busyTimeoutMs: 200_000 });
  onTestFinished(() => storage.close());
  const service = await openService({ storage });
  const reads = () => Array.from({ length: 5 }, () => service.call('settings.show', ''));
  await Promise.all(reads());
  proxy.setSilent(true);
  // Each read gives up after a while and closes its connection, which has received something before.
  let isOver = false;
  const reading = (async () => {
    while (!isOver)
      await Promise.race([Promise.all(reads()), new Promise((resolve) => setTimeout(resolve, 200))]);
  })();
  const write = await service.call('blog.create', '', { title: 'A', contentMd: 'x' });
  isOver = true;
  expect(write).toMatchObject({ status: 503, body: { code: 'busy' } });
  await reading;
  proxy.setSilent(false);
  await expect.poll(async () => (await service.send('GET', '/readyz')).status).toBe(200);
});

test('a server that falls silent in the middle of a transaction: the change is not made, and its store is not blocked', async () => {
  const { proxy, url } = await forwardedDatabase();
  const storage = await openStorage(url, { busyTimeoutMs: 200_000 });
  onTestFinished(() => storage.close());
  const service = await openService({ storage });
  const { storeId } = service;
  const change = storage.forStore(storeId).change(async (db) => {
    await sql`update stores set name = 'half' where id = ${storeId}`.execute(db);
    proxy.setSilent(true);
    await sql`select 1`.execute(db);
  });
  await expect(change).rejects.toThrow(StorageBusyError);
  proxy.setSilent(false);
  const post = { title: 'A', contentMd: 'x' };
  await expect.poll(async () => (await service.call('blog.create', '', post)).status).toBe(201);
  const [store] = await rowsOf({ storage }, 'stores', 'id', 'name');
  expect(store?.name).not.toBe('half');
});

test('a server under load that goes on answering, but takes no new connection for long, is not given up', async () => {
  const { proxy, url } = await forwardedDatabase();
  const storage = await openTestStorage(url);
  proxy.silenceNewConnections();
  const answers = await storage.read(async (db) => {
    const start = performance.now();
    let count = 0;
    // Longer than it takes to give up a silent server.
    for (; performance.now() - start < 3_000; count++) await sql`select pg_sleep(0.1)`.execute(db);
    return count;
  });
  expect(answers).toBeGreaterThan(0);
});

test.each([
  [
    'becomes read-only',
    'alter database NAME set default_transaction_read_only = on',
    'alter database NAME reset default_transaction_read_only',
  ],
  ['lets the service log in no more', 'alter role storectl nologin', 'alter role storectl login'],
])('a server that %s is 503 on every path, and recovers', async (_, begin, end) => {
  const { url, adminUrl } = await freshDatabase();
  const service = await openService({ storage: await openTestStorage(url) });
  const name = new URL(url).pathname.slice(1);
  const maintenance = adminUrl.replace(/\/\w+$/, '/postgres');
  const restrict = async (statement: string) => {
    await query(maintenance, statement.replace('NAME', name));
    await query(
      adminUrl,
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'storectl'",
    );
  };
  await restrict(begin);
  for (const answer of [
    await service.send('GET', '/readyz'),
    await service.call('settings.show', ''),
    await service.call('blog.create', '', { title: 'A', contentMd: 'x' }),
  ]) {
    expect(answer).toMatchObject({ status: 503, body: { code: 'busy' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  await restrict(end);
  expect((await service.send('GET', '/readyz')).status).toBe(200);
});

test('the operator is warned of settings that lose acknowledged changes', async () => {
  const { url } = await freshDatabase();
  const storage = await openTestStorage(`${url}?options=-c%20synchronous_commit%3Doff`);
  expect(storage.warnings).toEqual([expect.stringContaining('synchronous_commit is off')]);
});

test('a session has no state: settings and locks end with their transaction', async () => {
  const { url, adminUrl } = await freshDatabase();
  const service = await openService({ storage: await openTestStorage(url) });
  expect((await service.call('blog.create', '', { title: 'A', contentMd: 'x' })).status).toBe(201);
  const sessions = await query(
    adminUrl,
    `select count(*)::int as locks from pg_locks join pg_stat_activity using (pid)
       where usename = 'storectl' and locktype = 'advisory'`,
  );
  expect(sessions).toEqual([{ locks: 0 }]);
  // A pooler refuses other settings in the startup message.
  const { rows } = await service.storage.read(async (db) => {
    return sql<{ name: string }>`select name from pg_settings where source = 'client'`.execute(db);
  });
  const names = rows.map(({ name }) => name).filter((name) => name !== 'application_name');
  expect(names.sort()).toEqual(['client_encoding']);
});

test('a server whose disk is full is 503 on /readyz and down in the metrics until a change succeeds again', async () => {
  const { url, adminUrl } = await freshDatabase();
  const storage = await openTestStorage(url);
  const health = createHealth(storage);
  const service = await openService({ storage, health });
  const metrics = await createMetrics(storage, async () => ({ ...storage.usage(), freeSlots: null }), health);
  const ready = async () => (await service.send('GET', '/readyz')).body.detail ?? 'ready';
  const isUp = async () => {
    const { body } = await metrics.handler({ method: 'GET', path: '/metrics' } as HttpRequest);
    return /^storectl_database_up (\d)$/m.exec(String(body))?.[1];
  };
  const post = { title: 'A', contentMd: 'x' };

  await query(
    adminUrl,
    `create function full_disk() returns trigger language plpgsql
    as $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`,
  );
  for (const table of ['posts', 'write_probes'])
    await query(adminUrl, `create trigger full_disk before insert on ${table} execute function full_disk()`);
  expect([await ready(), await isUp()]).toEqual(['ready', '1']);
  expect((await service.call('blog.create', '', post)).status).toBe(503);
  expect((await service.call('settings.show', '')).status).toBe(200);
  const full = 'The database cannot save changes: its disk is full.';
  expect([await ready(), await isUp(), await ready()]).toEqual([full, '0', full]);

  await query(adminUrl, 'drop function full_disk() cascade');
  expect([await ready(), await isUp()]).toEqual(['ready', '1']);
  expect((await service.call('blog.create', '', post)).status).toBe(201);
});
