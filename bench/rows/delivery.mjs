import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import pg from 'pg';
import { p99 } from '../lib/latency.mjs';
import { newPostgresDatabase } from '../lib/postgres.mjs';
import { cpuMsOf } from '../lib/processes.mjs';
import { startScript, startService } from '../lib/scene.mjs';
import { median } from '../lib/statistics.mjs';

const endpoints = 10_000;
/** Beside those that quiet hours hold. */
const others = 1_000;
const perStore = 20;
const eventsPerSecond = 100;
const measuredSeconds = 15;

const numbers = (from, to) =>
  `with recursive number(i) as (select ${from} union all select i + 1 from number where i + 1 < ${to})`;
const longAgo = "'2026-01-01T00:00:00.000Z'";

/** Quiet hours that have not ended and do not end soon, whatever the time is. */
const quietSettings = () => {
  const hour = (offset) => `${String((new Date().getUTCHours() + offset) % 24).padStart(2, '0')}:00`;
  const quietHours = { enabled: true, start: hour(22), end: hour(12), timezone: 'UTC' };
  return JSON.stringify({ quietHours });
};

/** SQL for stores `s0`, `s1` … with 20 endpoints each: `e0`, `e1` …, with the webhooks 0, 1 … */
const filling = (count) => `
  insert into stores (id, organisation_id, name, slug, status, default_currency, timezone, settings, created_at, version)
    ${numbers(0, count / perStore)} select 's' || i, 'o', 'Store', 's' || i, 'active', 'EUR', 'UTC', '{}', ${longAgo}, 'v'
    from number;
  insert into endpoints (store_id, id, kind, name, masked_url, secret_url, events, enabled, created_at)
    ${numbers(0, count)} select 's' || (i / ${perStore}), 'e' || i, 'discord', 'E', 'm',
      'https://discord.com/api/webhooks/' || i || '/x', '["feedback_digest"]', 1, ${longAgo} from number`;

/** The SQL that records an event for each endpoint from `from` to before `to`, as an operation does. */
function eventsSql(round, from, to = from + 1) {
  const now = `'${new Date().toISOString()}'`;
  const store = `'s' || (i / ${perStore})`;
  const chosen = numbers(from, to);
  return `
    insert into events (store_id, id, sequence, type, data, title, body, created_at)
      ${chosen} select ${store}, 'v${round}-' || i, ${round} * 20000 + i, 'feedback_digest', '{}', 'T', 'B', ${now}
      from number;
    insert into deliveries (store_id, id, event_id, endpoint_id, status, attempts, created_at)
      ${chosen} select ${store}, 'd${round}-' || i, 'v${round}-' || i, 'e' || i, 'pending', 0, ${now} from number;
    update endpoints set due_at = coalesce(due_at, ${now}) where (store_id, id) in
      (${chosen} select ${store}, 'e' || i from number)`;
}

/** Where a service keeps its data, by engine: `run` runs SQL in one transaction, `all` answers rows. */
const engines = {
  async embedded(folder) {
    const file = path.join(folder, 'service.db');
    let database;
    const open = () => {
      database ??= new Database(file);
      database.exec('pragma busy_timeout = 5000');
      return database;
    };
    return {
      database: file,
      run: async (sql) => open().exec(`begin immediate; ${sql}; commit`),
      all: async (sql) => open().prepare(sql).all(),
      end: async () => database?.close(),
    };
  },
  async postgres() {
    const { url, end } = await newPostgresDatabase();
    const client = new pg.Client(url);
    await client.connect();
    await client.query("set storectl.administration = 'on'");
    return {
      database: url,
      run: (sql) => client.query(sql),
      all: async (sql) => (await client.query(sql)).rows,
      end: () => client.end().then(end),
    };
  },
};

/** A service with endpoints, and their receivers, of which so many never answer. */
async function startScene({ place, engine }, count, hanging) {
  const own = { ...place, folder: mkdtempSync(path.join(place.folder, 'delivery-')) };
  const receiver = await startScript(own, 'receiver', String(hanging));
  const { database, run, all, end } = await engines[engine](own.folder);
  const service = await startService({ ...own, database }, { flags: ['--delivery-sink', receiver.origin] });
  await run(filling(count));
  return {
    service,
    run,
    all,
    received: async () => (await globalThis.fetch(receiver.origin)).json(),
    async end() {
      await Promise.all([service.stop(), receiver.stop()]);
      await end();
    },
  };
}

/** Records events at a steady pace, each for one of `count` endpoints from `first` on. Answers how late messages were, in ms. */
async function latenciesOfEvents({ run, received }, first, count) {
  await received();
  const start = performance.now();
  for (let number = 0; number < eventsPerSecond * measuredSeconds; number += 1) {
    await run(eventsSql(2 + number, first + Math.floor(Math.random() * count)));
    await sleep(Math.max(0, start + (number * 1_000) / eventsPerSecond - performance.now()));
  }
  await sleep(2_000);
  return received();
}

const inOrder = (times) => times.sort((one, other) => one - other);

/** How late messages are beside `hanging` receivers: the first of all endpoints at once, and those of events after it. */
async function besideHanging(where, hanging) {
  const scene = await startScene(where, endpoints, hanging);
  await scene.run(eventsSql(1, 0, endpoints));
  const first = [];
  while (first.length < endpoints - hanging) {
    await sleep(500);
    first.push(...(await scene.received()));
  }
  // Events for those that hang come too, but only the others answer.
  const latencies = await latenciesOfEvents(scene, 0, endpoints);
  await scene.end();
  return { latencies: inOrder(latencies), first: inOrder(first) };
}

/** The median of events for some endpoints, while the stores of 10 000 others are quiet or have nothing to send. */
async function besideHeld(where, isQuiet) {
  const scene = isQuiet ? await startHeld(where) : await startScene(where, endpoints + others, 0);
  const latencies = await latenciesOfEvents(scene, endpoints, others);
  await scene.end();
  return median(latencies);
}

/** As `startScene`, once all but the others are held. */
async function startHeld(where) {
  const scene = await startScene(where, endpoints + others, 0);
  await scene.run(`insert into operations_settings (store_id, document, updated_at)
    ${numbers(0, endpoints / perStore)} select 's' || i, '${quietSettings()}', ${longAgo} from number`);
  await scene.run(eventsSql(1, 0, endpoints));
  const countHeld = async () =>
    Number((await scene.all('select count(*) as count from endpoints where held = 1'))[0].count);
  while ((await countHeld()) < endpoints) await sleep(200);
  return scene;
}

const prefixOf = (engine) => (engine === 'postgres' ? 'delivery on PostgreSQL' : 'delivery');
const suffixOf = (engine) => (engine === 'postgres' ? ', on PostgreSQL' : '');

const hangingRow = (engine) => ({
  name: `${prefixOf(engine)}: receivers that hang`,
  engine,
  what: `p50 of messages at 100 events a second while 1 000 of 10 000 receivers never answer; while all answer${suffixOf(engine)}`,
  unit: 'ms',
  perRound: 1,
  warmUps: 0,
  once: true,
  goals: () => [{ of: 'ratio', atMost: 1.5 }],
  async prepare(place) {
    const nothing = { latencies: [0], first: [0] };
    const last = { hanging: nothing, none: nothing };
    const measure = (name, hanging) => async () => {
      last[name] = await besideHanging({ place, engine }, hanging);
      return median(last[name].latencies);
    };
    return {
      subject: measure('hanging', 1_000),
      floor: measure('none', 0),
      peers: {
        'p99, hanging': () => p99(last.hanging.latencies),
        'p99, none hanging': () => p99(last.none.latencies),
        'p50 of one event for each, hanging': () => median(last.hanging.first),
        'p50 of one event for each, none hanging': () => median(last.none.first),
      },
    };
  },
});

const heldRow = (engine) => ({
  name: `${prefixOf(engine)}: quiet hours`,
  engine,
  what: `p50 of messages at 100 events a second while quiet hours hold 10 000 other endpoints; while they hold none${suffixOf(engine)}`,
  unit: 'ms',
  perRound: 1,
  warmUps: 0,
  once: true,
  goals: () => [{ of: 'ratio', atMost: 1.5 }],
  prepare: async (place) => ({
    subject: () => besideHeld({ place, engine }, true),
    floor: () => besideHeld({ place, engine }, false),
  }),
});

const idleSeconds = 10;

const idleRow = (engine) => ({
  name: `${prefixOf(engine)}: processor in quiet hours`,
  engine,
  what: `processor time of the service in ten seconds in which quiet hours hold 10 000 endpoints${suffixOf(engine)}`,
  unit: 'ms',
  perRound: 1,
  warmUps: 0,
  once: true,
  goals: () => [{ of: 'value', atMost: 100 }],
  prepare: async (place) => ({
    async subject() {
      const scene = await startHeld({ place, engine });
      await sleep(5_000);
      const before = cpuMsOf(scene.service.pid);
      await sleep(idleSeconds * 1_000);
      const used = cpuMsOf(scene.service.pid) - before;
      await scene.end();
      return used;
    },
    floor: null,
  }),
});

export const deliveryRows = Object.keys(engines).flatMap((engine) => [
  hangingRow(engine),
  heldRow(engine),
  idleRow(engine),
]);
