import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { engines, numbers, posts, requestOf, suffixOf, time } from '../lib/databases.mjs';
import { ask, latenciesDuring, latenciesOf, p50, p99 } from '../lib/latency.mjs';
import { newStore, startService } from '../lib/scene.mjs';

/** How much a database holds: nearly all of it in the store that is asked. */
const sizes = { small: { rows: 10_000, stores: 1 }, large: { rows: 1_000_000, stores: 10_000 } };
const requests = 300;

/** The SQL that adds events, each with a notification that nobody has read. */
const events = (storeId, count) => `
  insert into events (store_id, id, sequence, type, data, title, body, created_at)
    ${numbers(count)} select '${storeId}', 'e' || i, i, 'post_created', '{}', 'Title', 'Body', ${time} from number;`;

/** The SQL that adds other stores, and rows to the store: two fifths events, and a fifth each of deliveries, posts and disputes. */
function filling(storeId, { rows, stores }) {
  const fifth = rows / 5;
  const own = `'${storeId}'`;
  return `begin;
    insert into stores (id, organisation_id, name, slug, status, default_currency, timezone, settings, created_at, version)
      ${numbers(stores)} select 's' || i, 'o', 'Store', 's' || i, 'active', 'EUR', 'UTC', '{}', ${time}, 'v' from number;
    insert into endpoints (store_id, id, kind, name, masked_url, secret_url, events, enabled, created_at)
      ${numbers(stores)} select 's' || i, 'e' || i, 'discord', 'E', 'm', 'u' || i, '["post_created"]', 1, ${time}
      from number;
    insert into endpoints (store_id, id, kind, name, masked_url, secret_url, events, enabled, created_at)
      values (${own}, 'e', 'discord', 'E', 'm', 'u', '["backup_restored"]', 1, ${time});
    ${events(storeId, 2 * fifth)}
    insert into deliveries (store_id, id, event_id, endpoint_id, status, attempts, created_at)
      ${numbers(fifth)} select ${own}, 'd' || i, 'e' || i, 'e', 'delivered', 1, ${time} from number;
    insert into posts (store_id, position, id, title, slug, content_sha256, content_md, tags, featured_product_ids, status, view_count,
        created_at, updated_at)
      ${numbers(fifth)} select ${own}, i, 'p' || i, 'Title', 'p' || i, '', 'Some text', '[]', '[]', 'draft', 0, ${time}, ${time}
      from number;
    insert into disputes (store_id, id, kind, status, reason, risk_signals, deadline_at, appeal_deadline_at,
        idempotency_key, created_at, updated_at)
      ${numbers(fifth)} select ${own}, 'd' || i, 'payment', 'open', 'Reason', '{}', ${time}, ${time}, 'k' || i, ${time},
        ${time} from number;
    commit;
    analyze`;
}

const prefixOf = (engine) => (engine === 'postgres' ? 'growth on PostgreSQL' : 'growth');

/** A service for each size, which all rows on one Node share. */
const scenes = new Map();

function sharedScene(place, engine) {
  const name = `${engine} ${place.node}`;
  const scene = scenes.get(name) ?? { users: 0, started: startScene(place, engine) };
  scenes.set(name, scene);
  scene.users += 1;
  return {
    started: scene.started,
    async end() {
      scene.users -= 1;
      if (scene.users > 0) return;
      scenes.delete(name);
      await Promise.all(Object.values(await scene.started).map(({ end }) => end()));
    },
  };
}

async function startScene(place, engine) {
  const services = {};
  for (const [name, size] of Object.entries(sizes)) {
    const folder = path.join(place.folder, name);
    mkdirSync(folder);
    const { database, run, end } = await engines[engine](folder);
    const own = { ...place, folder, database };
    const service = await startService(own);
    const neighbour = newStore(own);
    await run(filling(service.storeId, size));
    services[name] = { ...service, neighbour, end: () => service.stop().then(end) };
  }
  return services;
}

/** What a request of each operation is, given a store and a number. */
const operations = {
  'settings show': () => ['GET', '/operations/settings'],
  'settings save': (number) => [
    'PUT',
    '/operations/settings',
    { discovery: { summary: `Number ${number}` } },
  ],
  'store update': () => ['PATCH', '', { name: `Name ${randomUUID()}` }],
  'blog create': () => ['POST', '/blog/posts', { title: `Post ${randomUUID()}`, contentMd: 'Text' }],
  'disputes open': () => [
    'POST',
    '/operations/disputes',
    { kind: 'payment', reason: 'Parcel not received', idempotencyKey: randomUUID() },
  ],
  'disputes show': (number) => ['GET', `/operations/disputes/d${1 + number}`],
  'notify mark-read': (number) => ['POST', '/notifications/read', { ids: [`e${1 + number}`] }],
};

const growthRow = (engine, [name, make]) => ({
  name: `${prefixOf(engine)}: ${name}`,
  what: `\`${name}\` with 1 000 000 rows and 10 000 stores; with 10 000 rows and one store${suffixOf(engine)}`,
  engine,
  unit: 'ms',
  perRound: 1,
  goals: () => [{ of: 'ratio', atMost: 1.3 }],
  async prepare(place) {
    const { started, end } = sharedScene(place, engine);
    const { small, large } = await started;
    const last = {};
    const measure = (size, service) => async () => {
      last[size] = await latenciesOf(service.origin, requestOf(service, make), requests);
      return p50(last[size]);
    };
    return {
      subject: measure('large', large),
      floor: measure('small', small),
      peers: { 'p99, large': () => p99(last.large), 'p99, small': () => p99(last.small) },
      end,
    };
  },
});

/** A request that backs a blog up, and a function that restores it from a backup. */
const backupOf = (service) => {
  const send = (suffix, body) =>
    ask(service.origin, requestOf(service, () => ['POST', `/operations${suffix}`, body])(0));
  const sections = ['blog'];
  return {
    backUp: () => send('/backups', { label: 'All', sections, idempotencyKey: randomUUID() }),
    restore: (id) => send(`/backups/${id}/restore`, { sections, idempotencyKey: randomUUID() }),
  };
};

/** How long a request takes, in ms. */
async function timeOf(request) {
  const start = performance.now();
  const answer = await request();
  return { ms: performance.now() - start, answer };
}

async function medianOf(times, request) {
  const samples = [];
  for (let index = 0; index < times; index++) samples.push((await timeOf(request)).ms);
  return p50(samples);
}

/** Two services, with a store of 10 posts or notifications and one of many. */
async function prepareSizes(place, engine, many, fill) {
  const services = {};
  for (const [name, count] of Object.entries({ small: 10, large: many })) {
    const folder = path.join(place.folder, name);
    mkdirSync(folder);
    const { database, run, end } = await engines[engine](folder);
    const service = await startService({ ...place, folder, database });
    await run(`${fill(service.storeId, count)} analyze`);
    services[name] = { ...service, count, run, end: () => service.stop().then(end) };
  }
  return services;
}

/** What `measure` makes of a store takes no longer when the store holds much more. */
const sizeRow = (engine, name, what, many, fill, measure) => ({
  name: `${prefixOf(engine)}: ${name}`,
  what: `${what}${suffixOf(engine)}`,
  engine,
  unit: 'ms',
  perRound: 1,
  goals: () => [{ of: 'ratio', atMost: 2 }],
  async prepare(place) {
    const { small, large } = await prepareSizes(place, engine, many, fill);
    return {
      subject: await measure(large),
      floor: await measure(small),
      end: () => Promise.all([small.end(), large.end()]),
    };
  },
});

const blogOf = (storeId, count) => posts(storeId, 1, count, 200);

const sizeRows = (engine) => [
  sizeRow(
    engine,
    'backup',
    '`backup create` of 100 000 posts; of 10',
    100_000,
    blogOf,
    async (service) => () => medianOf(20, backupOf(service).backUp),
  ),
  sizeRow(
    engine,
    'restore with three newer posts',
    '`backup restore` of 100 000 posts; of 10',
    100_000,
    blogOf,
    async (service) => {
      const { backUp, restore } = backupOf(service);
      const { id } = await backUp();
      const create = requestOf(service, operations['blog create']);
      return async () => {
        const samples = [];
        for (let index = 0; index < 10; index++) {
          for (let post = 0; post < 3; post++) await ask(service.origin, create(post));
          samples.push((await timeOf(() => restore(id))).ms);
        }
        return p50(samples);
      };
    },
  ),
  sizeRow(
    engine,
    'restore to and fro',
    'ten restores in which all 100 000 posts go and come back; 10 posts',
    100_000,
    (storeId) => `update stores set blog = '[]' where id = '${storeId}';`,
    async (service) => {
      const { backUp, restore } = backupOf(service);
      const empty = await backUp();
      await service.run(blogOf(service.storeId, service.count));
      const full = await restore(empty.id);
      return async () =>
        (
          await timeOf(async () => {
            for (let index = 0; index < 5; index++) {
              await restore(full.preRestoreBackupId);
              await restore(empty.id);
            }
          })
        ).ms;
    },
  ),
  sizeRow(
    engine,
    '`notify mark-read`',
    '`notify mark-read` of 1 000 000 notifications; of 10',
    1_000_000,
    events,
    async (service) => async () => {
      await service.run(`update stores set mark = 0 where id = '${service.storeId}'`);
      return (
        await timeOf(() =>
          ask(service.origin, requestOf(service, () => ['POST', '/notifications/read', {}])(0)),
        )
      ).ms;
    },
  ),
];

/** In how many spans the neighbour is looked at, and how often each of them backs up, restores and marks. */
const spans = 10;
const perSpan = 10;

/**
 * The longest time that a request of a neighbour takes while a store is backed up and restored, and marks all read: the median
 * of some spans, because the disk makes a write wait now and then whatever else happens.
 */
const neighbourRow = {
  name: 'growth: neighbour of a large store',
  what: 'longest `store update` while another store with 200 000 posts of 5 KB is backed up and restored, all posts returning, and marks 1 000 000 notifications read, ten times each; the same otherwise (median of ten spans)',
  engine: 'embedded',
  unit: 'ms',
  perRound: 1,
  goals: () => [{ of: 'value', atMost: 50 }],
  async prepare(place) {
    const { run } = await engines.embedded(place.folder);
    const service = await startService(place);
    const neighbour = newStore(place);
    const { backUp, restore } = backupOf(service);
    const empty = await backUp();
    await run(posts(service.storeId, 1, 200_000, 5_000));
    await run(
      `delete from events where store_id = '${service.storeId}'; ${events(service.storeId, 1_000_000)}`,
    );
    const update = requestOf(neighbour, operations['store update']);
    const markAll = requestOf(service, () => ['POST', '/notifications/read', {}])(0);
    const useAll = async () => {
      for (let index = 0; index < perSpan; index++) {
        const { id } = await backUp();
        await restore(empty.id);
        await restore(id);
        await ask(service.origin, markAll);
      }
    };
    // The longest of more requests is longer, so both sides send the same number.
    const counts = Array(spans).fill(100);
    const last = {};
    return {
      async subject() {
        const longest = [];
        for (let span = 0; span < spans; span++) {
          await run(`update stores set mark = 0 where id = '${service.storeId}'`);
          const times = await latenciesDuring(service.origin, update, useAll);
          counts[span] = times.length;
          longest.push(times.at(-1));
        }
        last.subject = longest;
        return p50(longest);
      },
      async floor() {
        const longest = [];
        for (const count of counts) longest.push((await latenciesOf(service.origin, update, count)).at(-1));
        last.floor = longest;
        return p50(longest);
      },
      peers: {
        'longest of all spans, at work': () => Math.max(...last.subject),
        'longest of all spans, idle': () => Math.max(...last.floor),
      },
      end: service.stop,
    };
  },
};

export const growthRows = [
  ...Object.keys(engines).flatMap((engine) => [
    ...Object.entries(operations).map((operation) => growthRow(engine, operation)),
    ...sizeRows(engine),
  ]),
  neighbourRow,
];
