import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import { ask, latenciesDuring, latenciesOf, p50, p99 } from '../lib/latency.mjs';
import { newPostgresDatabase } from '../lib/postgres.mjs';
import { newStore, startService } from '../lib/scene.mjs';

/** How much a database holds: nearly all of it in the store that is asked. */
const sizes = { small: { rows: 10_000, stores: 1 }, large: { rows: 1_000_000, stores: 10_000 } };
const requests = 300;

const numbers = (count) =>
  `with recursive number(i) as (select 1 union all select i + 1 from number where i < ${count})`;
const time = "'2026-01-01T00:00:00.000Z'";

/** The SQL that adds events, each with a notification that nobody has read. */
const events = (storeId, count) => `
  insert into events (store_id, id, type, data, title, body, created_at)
    ${numbers(count)} select '${storeId}', 'e' || i, 'post_created', '{}', 'Title', 'Body', ${time} from number;`;

/** The SQL that adds other stores, and rows to the store: two fifths events, and a fifth each of deliveries, posts and disputes. */
function filling(storeId, { rows, stores }) {
  const fifth = rows / 5;
  const own = `'${storeId}'`;
  return `begin;
    insert into stores (id, organisation_id, name, slug, status, default_currency, timezone, settings, created_at)
      ${numbers(stores)} select 's' || i, 'o', 'Store', 's' || i, 'active', 'EUR', 'UTC', '{}', ${time} from number;
    insert into endpoints (store_id, id, kind, name, masked_url, secret_url, events, enabled, created_at)
      ${numbers(stores)} select 's' || i, 'e' || i, 'discord', 'E', 'm', 'u' || i, '["post_created"]', 1, ${time}
      from number;
    insert into endpoints (store_id, id, kind, name, masked_url, secret_url, events, enabled, created_at)
      values (${own}, 'e', 'discord', 'E', 'm', 'u', '["backup_restored"]', 1, ${time});
    ${events(storeId, 2 * fifth)}
    insert into deliveries (store_id, id, event_id, endpoint_id, status, attempts, created_at)
      ${numbers(fifth)} select ${own}, 'd' || i, 'e' || i, 'e', 'delivered', 1, ${time} from number;
    insert into posts (store_id, id, title, slug, content_md, tags, featured_product_ids, status, view_count,
        created_at, updated_at)
      ${numbers(fifth)} select ${own}, 'p' || i, 'Title', 'p' || i, 'Some text', '[]', '[]', 'draft', 0, ${time}, ${time}
      from number;
    insert into disputes (store_id, id, kind, status, reason, risk_signals, deadline_at, appeal_deadline_at,
        idempotency_key, created_at, updated_at)
      ${numbers(fifth)} select ${own}, 'd' || i, 'payment', 'open', 'Reason', '{}', ${time}, ${time}, 'k' || i, ${time},
        ${time} from number;
    commit;
    analyze`;
}

/** Where a service keeps its data, by engine: `database` for its place, `run` for SQL, `end` for afterwards. */
const engines = {
  async embedded(folder) {
    const run = (sql) => {
      const database = new Database(path.join(folder, 'service.db'));
      database.exec(sql);
      database.close();
    };
    return { run, end: async () => {} };
  },
  async postgres() {
    const { url, run, end } = await newPostgresDatabase();
    return { database: url, run, end };
  },
};

const prefixOf = (engine) => (engine === 'postgres' ? 'growth on PostgreSQL' : 'growth');
const suffixOf = (engine) => (engine === 'postgres' ? ', on PostgreSQL' : '');

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

const headersOf = ({ key }) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

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

function requestOf(store, make) {
  return (number) => {
    const [method, suffix, body] = make(number);
    return { method, path: `/v1/stores/${store.storeId}${suffix}`, headers: headersOf(store), body };
  };
}

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

const neighbourRow = (engine) => ({
  name: `${prefixOf(engine)}: neighbour of a backup`,
  what: `p99 of \`settings show\` while another store with 200 000 posts is backed up; p99 of the same otherwise${suffixOf(engine)}`,
  engine,
  unit: 'ms',
  perRound: 1,
  goals: () => [{ of: 'value', atMost: 50 }],
  async prepare(place) {
    const { started, end } = sharedScene(place, engine);
    const { large } = await started;
    const show = requestOf(large.neighbour, operations['settings show']);
    const backUp = () => {
      const body = { label: 'All', sections: ['blog'], idempotencyKey: randomUUID() };
      return ask(large.origin, requestOf(large, () => ['POST', '/operations/backups', body])(0));
    };
    return {
      subject: async () => p99(await latenciesDuring(large.origin, show, backUp)),
      floor: async () => p99(await latenciesOf(large.origin, show, requests)),
      end,
    };
  },
});

/** What happens to a blog after its backup. A restore writes what comes after the first difference. */
const changes = {
  ofFirstPost: "update posts set title = 'Other' where id = 'p1'",
  // On the embedded engine a restore of many posts may have written them to the second table.
  ofFirstPostOnEmbedded: `update posts set title = 'Other' where id = 'p1';
    update other_posts set title = 'Other' where id = 'p1'`,
  newPosts: `insert into posts select store_id, 'q' || id, title, 'q' || id, excerpt, content_md, cover_image_id, tags,
    featured_product_ids, status, published_at, scheduled_at, meta_title, meta_description, view_count, created_at,
    updated_at from posts where id in ('p1', 'p2', 'p3')`,
};

/** Answers how long a restore takes after a change, of a backup that is made first. */
async function makeRestore(service, run, change) {
  const send = (suffix, body) =>
    ask(service.origin, requestOf(service, () => ['POST', `/operations${suffix}`, body])(0));
  const backup = { label: 'All', sections: ['blog'], idempotencyKey: randomUUID() };
  const { id } = await send('/backups', backup);
  return async () => {
    await run(change);
    const start = performance.now();
    await send(`/backups/${id}/restore`, { sections: ['blog'], idempotencyKey: randomUUID() });
    return performance.now() - start;
  };
}

const neighbourOfRestoreRow = (name, what, change) => ({
  name: `growth: neighbour of a restore${name}`,
  what: `p99 of \`store update\` while another store with 20 000 posts is restored, of which ${what}`,
  engine: 'embedded',
  unit: 'ms',
  perRound: 1,
  goals: () => [{ of: 'value', atMost: 50 }],
  async prepare(place) {
    const { run } = await engines.embedded(place.folder);
    const service = await startService(place);
    const neighbour = newStore(place);
    await run(filling(service.storeId, { rows: 100_000, stores: 1 }));
    const restore = await makeRestore(service, run, change);
    const update = requestOf(neighbour, operations['store update']);
    return {
      subject: async () => p99(await latenciesDuring(service.origin, update, restore)),
      floor: async () => p99(await latenciesOf(service.origin, update, requests)),
      end: service.stop,
    };
  },
});

const neighbourOfMarkReadRow = (engine) => ({
  name: `${prefixOf(engine)}: neighbour of \`notify mark-read\``,
  what: `p99 of \`store update\` while another store marks 1 000 000 notifications read${suffixOf(engine)}`,
  engine,
  unit: 'ms',
  perRound: 1,
  warmUps: 0,
  once: true,
  goals: () => [{ of: 'value', atMost: 50 }],
  async prepare(place) {
    const { database, run, end } = await engines[engine](place.folder);
    const own = { ...place, database };
    const service = await startService(own);
    const neighbour = newStore(own);
    await run(`${events(service.storeId, 1_000_000)} analyze`);
    const update = requestOf(neighbour, operations['store update']);
    const markAll = requestOf(service, () => ['POST', '/notifications/read', {}]);
    return {
      subject: async () =>
        p99(await latenciesDuring(service.origin, update, () => ask(service.origin, markAll(0)))),
      floor: async () => p99(await latenciesOf(service.origin, update, requests)),
      end: () => service.stop().then(end),
    };
  },
});

const restoreRow = {
  name: 'growth on PostgreSQL: restore of 10 000 posts',
  what: '`backup restore` of a blog of 10 000 posts, on PostgreSQL',
  engine: 'postgres',
  unit: 'ms',
  perRound: 1,
  goals: () => [{ of: 'value', atMost: 1_000 }],
  async prepare(place) {
    const { url, run, end } = await newPostgresDatabase();
    const service = await startService({ ...place, database: url });
    await run(filling(service.storeId, { rows: 50_000, stores: 1 }));
    return {
      subject: await makeRestore(service, run, changes.ofFirstPost),
      floor: null,
      end: () => service.stop().then(end),
    };
  },
};

const largePosts = 5_000;

/** Posts of 200 000 characters. */
const largeBlog = (storeId) => `
  insert into posts (store_id, id, title, slug, content_md, tags, featured_product_ids, status, view_count, created_at,
      updated_at)
    with recursive number(i) as (select 1 union all select i + 1 from number where i < ${largePosts}),
      content(text) as (select 'x' union all select text || text from content where length(text) < 200000)
    select '${storeId}', 'p' || i, 'Title', 'p' || i, substr(text, 1, 200000), '[]', '[]', 'draft', 0, 't', 't'
    from number cross join content where length(text) >= 200000`;

const memoryRow = (engine) => ({
  name: `${prefixOf(engine)}: memory of a backup and its restore`,
  what: `most memory of the service that backs a store of 1 GB up and restores it${suffixOf(engine)}`,
  engine,
  unit: 'MiB',
  perRound: 1,
  warmUps: 0,
  once: true,
  goals: () => [{ of: 'value', atMost: 190 }],
  async prepare(place) {
    const { database, run, end } = await engines[engine](place.folder);
    const service = await startService({ ...place, database });
    return {
      async subject() {
        await run(largeBlog(service.storeId));
        const restore = await makeRestore(service, run, changes.ofFirstPost);
        await restore();
        return service.peakMemory();
      },
      floor: null,
      end: () => service.stop().then(end),
    };
  },
});

export const growthRows = [
  ...Object.keys(engines).flatMap((engine) => [
    ...Object.entries(operations).map((operation) => growthRow(engine, operation)),
    neighbourRow(engine),
    neighbourOfMarkReadRow(engine),
    memoryRow(engine),
  ]),
  neighbourOfRestoreRow('', 'three are newer than the backup', changes.newPosts),
  neighbourOfRestoreRow(' of all posts', 'all are written again', changes.ofFirstPostOnEmbedded),
  restoreRow,
];
