import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { Pool } from 'undici';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { createKey, type Storage } from '../../src/service/index.ts';
import { createId } from '../../src/service/model/ids.ts';
import { query, startPostgres } from '../helpers/postgres.ts';
import { newProgramMachine } from '../helpers/program.ts';
import { typed } from '../helpers/typed.ts';
import { openService, openTestStorage, temporaryFile } from './helpers/service.ts';

/** More by STORECTL_KILL_ROUNDS=20. */
const rounds = Number(process.env.STORECTL_KILL_ROUNDS ?? 2);

const clients = 16;
const eventTypes = ['post_created', 'dispute_opened', 'backup_created', 'backup_restored'];

const cluster = await startPostgres();
afterAll(() => cluster.stop());

interface Acknowledged {
  readonly kind: 'post' | 'dispute' | 'backup' | 'restore';
  readonly id: string;
  readonly key: string;
}

/** A store that can be in one of two states, each in a backup, with two endpoints that want to know everything. */
async function prepare(storage: Storage) {
  const service = await openService({ storage });
  for (const name of ['1', '2']) {
    const url = `https://discord.com/api/webhooks/${name}/token`;
    await service.call('notify.add-endpoint', '', { kind: 'discord', name, url, events: eventTypes });
  }
  const states = ['A', 'B'];
  const backups: string[] = [];
  for (const state of states) {
    await service.call('store.update', '', { name: state, settings: { description: state } });
    await service.call('settings.save', '', { discovery: { summary: state } });
    const body = { label: state, sections: ['store', 'settings', 'blog'], idempotencyKey: state };
    backups.push((await service.call('backup.create', '', body)).body.id);
  }
  return { service, backups };
}

/** Requests from all clients until the service is gone. Answers what it has acknowledged. */
async function load(
  origin: string,
  storeId: string,
  keys: readonly string[],
  backups: readonly string[],
  acknowledge: (count: number) => void,
) {
  const pool = new Pool(origin, { connections: keys.length });
  const acknowledged: Acknowledged[] = [];
  const post = async (apiKey: string, path: string, body: object) => {
    const response = await pool.request({
      method: 'POST',
      path: `/v1/stores/${storeId}${path}`,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.body.text();
    if (![200, 201].includes(response.statusCode)) {
      // From the 21st request on they have to come back later.
      expect(response.statusCode).toBe(429);
      return null;
    }
    return JSON.parse(text);
  };
  const run = async (apiKey: string, client: number) => {
    for (let number = 0; ; number++) {
      const key = createId();
      const kind = client === 0 ? 'restore' : (['post', 'dispute', 'backup'] as const)[(client + number) % 3];
      const backupId = backups[number % 2] ?? '';
      const answer =
        kind === 'restore'
          ? await post(apiKey, `/operations/backups/${backupId}/restore`, {
              sections: ['store', 'settings', 'blog'],
              idempotencyKey: key,
            })
          : kind === 'post'
            ? await post(apiKey, '/blog/posts', { title: key, contentMd: 'x' })
            : kind === 'dispute'
              ? await post(apiKey, '/operations/disputes', {
                  kind: 'payment',
                  reason: 'x',
                  idempotencyKey: key,
                })
              : await post(apiKey, '/operations/backups', {
                  label: key,
                  sections: ['store'],
                  idempotencyKey: key,
                });
      if (answer === null || kind === undefined) continue;
      acknowledged.push({ kind, key, id: answer.id ?? answer.preRestoreBackupId });
      acknowledge(acknowledged.length);
    }
  };
  // Each client ends when its connection does.
  await Promise.allSettled(keys.map(run));
  await pool.destroy();
  return acknowledged;
}

/** What the database holds, by id. */
async function look(storage: Storage, storeId: string) {
  return storage.read(async (db) => {
    const store = await db
      .selectFrom('stores')
      .selectAll()
      .where('id', '=', storeId)
      .executeTakeFirstOrThrow();
    const settings = await db
      .selectFrom('operationsSettings')
      .select('document')
      .where('storeId', '=', storeId)
      .executeTakeFirstOrThrow();
    const idsIn = async (table: 'posts' | 'disputes' | 'backups') =>
      new Set(
        (await db.selectFrom(table).select('id').where('storeId', '=', storeId).execute()).map(
          (row) => row.id,
        ),
      );
    return {
      states: [
        store.name,
        JSON.parse(store.settings).description,
        JSON.parse(settings.document).discovery.summary,
      ],
      posts: await idsIn('posts'),
      disputes: await idsIn('disputes'),
      backups: await idsIn('backups'),
      keys: await db
        .selectFrom('idempotencyKeys')
        .select(['key', 'operation'])
        .where('storeId', '=', storeId)
        .execute(),
      events: await db
        .selectFrom('events')
        .select(['id', 'type', 'data', 'title'])
        .where('storeId', '=', storeId)
        .execute(),
      deliveries: await db
        .selectFrom('deliveries')
        .select('eventId')
        .where('storeId', '=', storeId)
        .execute(),
    };
  });
}

test.each([
  ['the embedded engine', () => temporaryFile('service.db')],
  ['PostgreSQL', async () => (await cluster.createDatabase()).url],
] as const)(
  'kill -9 under load on %s: what was acknowledged is there, and nothing is there by half',
  async (_, locate) => {
    const location = await locate();
    const storage = await openTestStorage(location);
    const { service, backups } = await prepare(storage);
    const { storeId } = service;
    const machine = newProgramMachine();
    const all: Acknowledged[] = [];

    for (let round = 0; round < rounds; round++) {
      const keys: string[] = [];
      while (keys.length < clients) keys.push((await createKey(storage, { storeId, preset: 'owner' })).key);
      const program = machine.start(typed`service start --port 0 --no-delivery --database ${location}`);
      const [, origin = ''] = await program.shown(/Listening on (\S+) with/);
      const killAfter = 20 + Math.floor(Math.random() * 150);
      all.push(
        ...(await load(origin, storeId, keys, backups, (count) => {
          if (count === killAfter) program.process.kill('SIGKILL');
        })),
      );
      if (program.process.signalCode === null) await once(program.process, 'exit');
      const found = await look(storage, storeId);

      const missing = all.filter(({ kind, id, key }) => {
        const rows = {
          post: found.posts,
          dispute: found.disputes,
          backup: found.backups,
          restore: found.backups,
        }[kind];
        return !rows.has(id) || (kind !== 'post' && !found.keys.some((row) => row.key === key));
      });
      expect(missing).toEqual([]);

      // A restore is whole: all that it changes is of one state, and its answer, event and own backup are there.
      expect(new Set(found.states).size).toBe(1);
      const restores = found.events.filter((event) => event.type === 'backup_restored');
      expect(restores).toHaveLength(found.keys.filter((row) => row.operation === 'backup.restore').length);
      for (const { data } of restores)
        expect(found.backups.has(JSON.parse(data).preRestoreBackupId)).toBe(true);

      // So is everything else.
      expect(found.disputes.size).toBe(
        found.events.filter((event) => event.type === 'dispute_opened').length,
      );
      expect(found.posts.size).toBe(found.events.filter((event) => event.type === 'post_created').length);
      expect(found.backups.size).toBe(
        restores.length + found.events.filter((event) => event.type === 'backup_created').length,
      );
      expect(found.events.filter((event) => event.title === '')).toEqual([]);
      const subscribed = found.events.filter((event) => eventTypes.includes(event.type)).map((row) => row.id);
      expect(found.deliveries.map((row) => row.eventId).sort()).toEqual(
        [...subscribed, ...subscribed].sort(),
      );
    }
    expect(new Set(all.map(({ kind }) => kind)).size).toBe(4);
  },
  60_000 + rounds * 5_000,
);

test('SIGTERM on PostgreSQL while a change waits for its store: it is answered as it ended', async () => {
  const { url, adminUrl } = await cluster.createDatabase();
  const storage = await openTestStorage(url);
  const service = await openService({ storage });
  const holder = new Client({ connectionString: adminUrl });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('begin');
  await holder.query('select id from stores where id = $1 for update', [service.storeId]);

  const program = newProgramMachine().start(['service', 'start', '--port', '0', '--database', url]);
  onTestFinished(() => void program.process.kill('SIGKILL'));
  const [, origin = ''] = await program.shown(/Listening on (\S+) with/);
  const changed = globalThis.fetch(`${origin}/v1/stores/${service.storeId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Changed while it stopped' }),
  });
  await vi.waitFor(async () => {
    const waiting = await query(adminUrl, `select 1 from pg_stat_activity where wait_event_type = 'Lock'`);
    expect(waiting).toHaveLength(1);
  });
  program.process.kill('SIGTERM');
  await setTimeout(500);
  await holder.query('commit');
  expect(await changed).toMatchObject({ status: 200 });
  expect(await program.ended).toMatchObject({ exitCode: 0 });
  const [store] = await query(adminUrl, 'select name from stores');
  expect(store).toEqual({ name: 'Changed while it stopped' });
});
