import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { engines, numbers, posts, requestOf, suffixOf, time } from '../lib/databases.mjs';
import { ask, latenciesOf, p50 } from '../lib/latency.mjs';
import { startService } from '../lib/scene.mjs';

const requests = 300;
const restores = 1_000;

/** A service with a store that `fill` gives some SQL for. */
async function newService(place, engine, name, fill) {
  const folder = path.join(place.folder, name);
  mkdirSync(folder);
  const { database, run, end } = await engines[engine](folder);
  const service = await startService({ ...place, folder, database });
  await run(`${fill(service.storeId)} analyze`);
  return { ...service, end: () => service.stop().then(end) };
}

const row = (engine, name, what, atMost, prepare) => ({
  name: `reads${engine === 'postgres' ? ' on PostgreSQL' : ''}: ${name}`,
  what: `${what}${suffixOf(engine)}`,
  engine,
  unit: 'ms',
  perRound: 1,
  goals: () => [{ of: 'ratio', atMost }],
  prepare: (place) => prepare(place, engine),
});

/** Median time of requests to a service, in ms. */
const timeOf = (service, make) => async () =>
  p50(await latenciesOf(service.origin, requestOf(service, make), requests));

const send = (service, ...request) => ask(service.origin, requestOf(service, () => request)(0));

/** Adds a post and takes the next one back, again and again: then only every other position is shown. */
async function restoreOften(service) {
  const post = () => send(service, 'POST', '/blog/posts', { title: randomUUID(), contentMd: 'Text' });
  for (let count = 0; count < restores; count += 1) {
    await post();
    const backup = { label: 'All', sections: ['blog'], idempotencyKey: randomUUID() };
    const { id } = await send(service, 'POST', '/operations/backups', backup);
    await post();
    const restore = { sections: ['blog'], idempotencyKey: randomUUID() };
    await send(service, 'POST', `/operations/backups/${id}/restore`, restore);
  }
}

/** The first two pages in turns. */
async function readPages(service) {
  const { next } = await send(service, 'GET', '/blog/posts');
  return timeOf(service, (number) => ['GET', `/blog/posts${number % 2 === 0 ? '' : `?after=${next}`}`]);
}

/** The SQL of disputes with ids from a number on, whose deadlines are spread over a day. */
const disputes = (storeId, first, count, status) => `
  insert into disputes (store_id, id, kind, status, reason, risk_signals, deadline_at, appeal_deadline_at, idempotency_key,
      created_at, updated_at)
    ${numbers(count)} select '${storeId}', 'd' || (${first} + i), 'payment', '${status}', 'Reason', '{}',
      '2026-01-01T' || (10 + i % 14) || ':00:00.000Z', ${time}, 'k', ${time}, ${time} from number;`;

const rowsOf = (engine) => [
  row(
    engine,
    'page of a blog',
    'a page of 50 of a blog of 100 000 posts after 1 000 restores; of one of 100 posts',
    2,
    async (place) => {
      const large = await newService(place, engine, 'large', (id) => posts(id, 1, 100_000, 200));
      const small = await newService(place, engine, 'small', (id) => posts(id, 1, 100, 200));
      await restoreOften(large);
      return {
        subject: await readPages(large),
        floor: await readPages(small),
        end: () => Promise.all([large.end(), small.end()]),
      };
    },
  ),
  row(
    engine,
    'open disputes',
    '`GET disputes?status=open` of 100 open ones among 1 000 000 decided ones; among none',
    1.3,
    async (place) => {
      const open = (id) => disputes(id, 2_000_000, 100, 'open');
      const large = await newService(
        place,
        engine,
        'large',
        (id) => disputes(id, 0, 1_000_000, 'won') + open(id),
      );
      const small = await newService(place, engine, 'small', open);
      const list = () => ['GET', '/operations/disputes?status=open'];
      return {
        subject: timeOf(large, list),
        floor: timeOf(small, list),
        end: () => Promise.all([large.end(), small.end()]),
      };
    },
  ),
  row(
    engine,
    '`backup show`',
    '`GET` of a backup of all sections, with what a restore would change; `GET settings`',
    2,
    async (place) => {
      const service = await newService(place, engine, 'service', (id) => posts(id, 1, 1_000, 200));
      const sections = ['store', 'blog', 'settings', 'endpoints'];
      const backup = { label: 'All', sections, idempotencyKey: randomUUID() };
      const { id } = await send(service, 'POST', '/operations/backups', backup);
      await send(service, 'PATCH', '', { name: 'Another name' });
      return {
        subject: timeOf(service, () => ['GET', `/operations/backups/${id}`]),
        floor: timeOf(service, () => ['GET', '/operations/settings']),
        end: service.end,
      };
    },
  ),
  row(
    engine,
    'post with a key',
    '`POST` of a post with an `Idempotency-Key`; without one',
    1.15,
    async (place) => {
      const service = await newService(place, engine, 'service', () => '');
      const post = () => ['POST', '/blog/posts', { title: randomUUID(), contentMd: 'Text '.repeat(400) }];
      const plain = requestOf(service, post);
      const keyed = (number) => {
        const request = plain(number);
        return { ...request, headers: { ...request.headers, 'idempotency-key': randomUUID() } };
      };
      // In turns, because the disk is at times slow for a while.
      const inTurns = (wanted) => async () => {
        const times = [];
        for (let number = 0; number < requests; number += 1) {
          for (const make of [plain, keyed]) {
            const [ms] = await latenciesOf(service.origin, () => make(number), 1);
            if (make === wanted) times.push(ms);
          }
        }
        return p50(times.sort((one, other) => one - other));
      };
      return {
        subject: inTurns(keyed),
        floor: inTurns(plain),
        end: service.end,
      };
    },
  ),
];

/** What the reads and keys of the service cost. */
export const readRows = [...rowsOf('embedded'), ...rowsOf('postgres')];
