import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../../../../src/service/index.ts';
import { gather } from '../../../../src/service/storage/core/gather.ts';
import { query, startPostgres, type TestCluster } from '../../../helpers/postgres.ts';
import {
  newDatabase,
  openTestStorage,
  type Service,
  startService,
  usePostgres,
} from '../../helpers/service.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startPostgres();
  usePostgres(cluster);
});
afterAll(() => cluster.stop());

async function startOnPostgres(): Promise<Service> {
  return startService({ storage: await openTestStorage(await newDatabase()) });
}

function count({ storage }: Service, table: 'events' | 'disputes' | 'disputeDecisions' | 'posts') {
  return storage.read(async (db) => (await db.selectFrom(table).selectAll().execute()).length);
}

const dispute = (reason: string, idempotencyKey: string) => ({ kind: 'payment', reason, idempotencyKey });

test('of many changes of a store at once one fails: it is undone alone, and the others are stored', async () => {
  const service = await startOnPostgres();
  const titles = ['A', 'B', 'C', 'B', 'D', 'E'];
  const posts = titles.map((title) => service.call('blog.create', '', { title, contentMd: '' }));
  const statuses = (await Promise.all(posts)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(5);
  expect(statuses.filter((status) => status === 409)).toHaveLength(1);
  expect(await count(service, 'events')).toBe(5);
});

test('of many disputes with one key at once one is opened, and another request with the key is refused', async () => {
  const service = await startOnPostgres();
  const open = (body: object) => service.call('disputes.open', '', body);
  const answers = await Promise.all([
    open(dispute('Before', 'other')),
    ...Array.from({ length: 12 }, () => open(dispute('Same', 'key'))),
    open(dispute('Different', 'key')),
    open(dispute('After', 'third')),
  ]);
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toEqual([...Array.from({ length: 13 }, () => 201), 422, 201]);
  expect(new Set(answers.slice(1, 13).map(({ body }) => body.id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.has('idempotency-replayed'))).toHaveLength(11);
  expect(await count(service, 'disputes')).toBe(3);
  expect(await count(service, 'events')).toBe(3);
});

test('changes of every kind at once: those that PostgreSQL or a rule refuses fail alone', async () => {
  const { url, drop } = await cluster.createDatabase();
  onTestFinished(drop);
  const service = await startService({ storage: await openTestStorage(url) });
  await query(url, "alter table posts add constraint never check (title <> 'Never')");
  const { id } = (await service.call('disputes.open', '', dispute('x', 'k'))).body;
  const decide = (status: string) => service.call('disputes.decide', id, { status, resolution: status });
  const answers = await Promise.all([
    service.call('store.update', '', { name: 'New name' }),
    service.call('blog.create', '', { title: 'A', contentMd: '' }),
    service.call('blog.create', '', { title: 'Never', contentMd: '' }),
    service.call('disputes.open', '', dispute('y', 'l')),
    decide('won'),
    decide('lost'),
    service.call('settings.save', '', { discovery: { summary: 'New' } }),
    service.call('blog.create', '', { title: 'B', contentMd: '' }),
    service.call('disputes.decide', 'no-such', { status: 'won', resolution: 'x' }),
    service.call('disputes.open', '', dispute('z', 'm')),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 201, 500, 201, 200, 409, 200, 201, 404, 201]);
  expect(await count(service, 'posts')).toBe(2);
  expect(await count(service, 'disputes')).toBe(3);
  expect(await count(service, 'disputeDecisions')).toBe(1);
  expect(await count(service, 'events')).toBe(1 + 7);
});

test('independent changes run at the same time, and others by themselves', async () => {
  const { storage, storeId } = await startOnPostgres();
  const { share } = storage.forStore(storeId);
  let running = 0;
  let most = 0;
  let meet = () => {};
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const change = (isIndependent: boolean) =>
    share(async (db) => {
      running += 1;
      most = Math.max(most, running);
      if (isIndependent && running === 2) meet();
      if (isIndependent) await met;
      await sql`select 1`.execute(db);
      running -= 1;
    }, isIndependent);
  // The first is alone, because it begins before the others arrive.
  await Promise.all([change(false), change(true), change(true)]);
  expect(most).toBe(2);
  most = 0;
  await Promise.all([change(false), change(false), change(false)]);
  expect(most).toBe(1);
});

test('what independent changes ask at the same time becomes one call, for each of their stores', async () => {
  const { storage, storeId } = await startOnPostgres();
  const { share } = storage.forStore(storeId);
  const calls: string[][] = [];
  const greet = gather(async ({ db, storeId: id }, names: readonly string[]) => {
    calls.push([id, ...names]);
    return (await sql<{ all: string }>`select ${names.join(' ')}::text as all`.execute(db)).rows;
  });
  const ask = (name: string, id = storeId) => share((db) => greet({ db, storeId: id }, name), true);
  // The first is alone, because it begins before the others arrive.
  const results = await Promise.all([ask('first'), ask('a'), ask('b'), ask('c', 'other')]);
  expect(results.flat().map(({ all }) => all)).toEqual(['first', 'a b', 'a b', 'c']);
  expect(calls).toEqual([
    [storeId, 'first'],
    [storeId, 'a', 'b'],
    ['other', 'c'],
  ]);
});

test('metrics tell the use of the pool, commits, and how many changes shared them', async () => {
  const { storage, storeId, call } = await startOnPostgres();
  const metrics = await createMetrics(storage, async () => ({ ...storage.usage(), freeSlots: null }));
  const read = async () => {
    const request = {
      method: 'GET',
      path: '/metrics',
      clientAddress: '',
      isStopping: false,
      header: () => undefined,
    };
    const { body } = await metrics.handler({ ...request, readBody: async () => new Uint8Array() });
    return (name: string) =>
      Number(
        String(body)
          .split('\n')
          .find((line) => line.startsWith(name))
          ?.slice(name.length),
      );
  };
  const before = await read();
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => call('disputes.open', '', dispute('x', `k${index}`))),
  );
  const after = await read();
  const grown = (name: string) => after(name) - before(name);
  expect(grown('storectl_committed_changes_total ')).toBe(20);
  expect(grown('storectl_commits_total ')).toBeGreaterThan(0);
  expect(grown('storectl_commits_total ')).toBeLessThan(20);
  expect(after('storectl_pool_connections{state="busy"} ')).toBe(0);
  expect(after('storectl_pool_waiting ')).toBe(0);
  await storage.forStore(storeId).write(async () => {
    const during = await read();
    expect(during('storectl_pool_connections{state="busy"} ')).toBe(1);
    expect(during('storectl_pool_connections{state="idle"} ')).toBeGreaterThan(0);
  });
});
