import path from 'node:path';
import { newPostgresDatabase } from '../lib/postgres.mjs';
import { rateOf } from '../lib/rate.mjs';
import { newStore, startScript, startService } from '../lib/scene.mjs';

const unit = 'requests/s';
const perRound = 2;
/** A service runs for weeks, so it is measured after V8 has compiled its hot code. */
const warmUps = 4;

const read = {
  name: 'service: read',
  // A key is read for each request, so that a revoked one is never accepted.
  what: '`GET settings`, 32 clients; a bare Hono route with the same bytes and two selects by key',
  unit,
  perRound,
  warmUps,
  goals: () => [{ of: 'ratio', atLeast: 0.5 }],
  async prepare(place) {
    const service = await startService(place);
    const { origin } = service;
    const request = showSettings(service);
    const answer = await globalThis.fetch(origin + request.path, { headers: request.headers });
    const body = await answer.text();
    const bare = await startScript(place, 'bare-settings', body);
    const withSelects = await startScript(place, 'bare-select', path.join(place.folder, 'bare.db'), body);
    return {
      subject: () => rateOf({ ...request, origin }),
      floor: () => rateOf({ ...request, origin: withSelects.origin }),
      peers: { 'bare route without a database': () => rateOf({ ...request, origin: bare.origin }) },
      end: () => Promise.all([service, bare, withSelects].map(({ stop }) => stop())),
    };
  },
};

const showSettings = ({ storeId, key }) => ({
  method: 'GET',
  path: `/v1/stores/${storeId}/operations/settings`,
  headers: { authorization: `Bearer ${key}` },
});

const openDispute = ({ storeId, key }) => ({
  method: 'POST',
  path: `/v1/stores/${storeId}/operations/disputes`,
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ kind: 'payment', reason: 'Parcel not received', idempotencyKey: '{unique}' }),
});

const write = {
  name: 'service: durable write',
  what: '`POST disputes`, 32 clients; a bare Hono route with one synced SQLite insert for each',
  unit,
  perRound,
  warmUps,
  goals: () => [{ of: 'ratio', atLeast: 1.5 }],
  async prepare(place) {
    const service = await startService(place);
    const bare = await startScript(place, 'bare-insert', path.join(place.folder, 'bare.db'));
    const request = openDispute(service);
    return {
      subject: () => rateOf({ ...request, origin: service.origin }),
      floor: () => rateOf({ ...request, origin: bare.origin }),
      end: () => Promise.all([service.stop(), bare.stop()]),
    };
  },
};

/** A row on PostgreSQL, where the service has ten connections. `startBare` starts what it is compared with, by name. */
const postgresRow = ({ name, what, goal, stores, requestOf, startBare }) => ({
  name: `service on PostgreSQL: ${name}`,
  what: `${what}, on PostgreSQL`,
  engine: 'postgres',
  unit,
  perRound,
  warmUps,
  goals: () => [{ of: 'ratio', atLeast: goal }],
  async prepare(place) {
    const database = await newPostgresDatabase();
    const bareDatabase = await newPostgresDatabase();
    const own = { ...place, database: database.url };
    const service = await startService(own);
    const all = [service];
    while (all.length < stores) all.push(newStore(own));
    const targets = all.map(requestOf);
    const { method, body } = targets[0];
    const { floor, ...others } = await startBare(place, {
      url: bareDatabase.url,
      urlOfService: database.url,
      request: { ...targets[0], origin: service.origin },
    });
    const rate = ({ origin }) =>
      rateOf({ method, body, targets, origin }, { connections: Math.max(32, stores) });
    const peers = Object.entries(others).map(([peer, server]) => [peer, () => rate(server)]);
    return {
      subject: () => rate(service),
      floor: () => rate(floor),
      peers: Object.fromEntries(peers),
      async end() {
        await Promise.all([service, floor, ...Object.values(others)].map(({ stop }) => stop()));
        await Promise.all([database.end(), bareDatabase.end()]);
      },
    };
  },
});

/** The floor is what plain transactions under the lock of a store cost; the peers are what durability alone costs. */
const durableWrite = {
  requestOf: openDispute,
  goal: 0.7,
  startBare: async (place, { url, urlOfService }) => ({
    floor: await startScript(place, 'bare-change-postgres', urlOfService),
    'one synced insert after the other': await startScript(place, 'bare-insert-postgres', url, '1'),
    'synced inserts on ten connections': await startScript(place, 'bare-insert-postgres', url, '10'),
  }),
};

export const serviceRows = [
  read,
  write,
  postgresRow({
    ...durableWrite,
    name: 'durable write',
    what: '`POST disputes` of one store, 32 clients; a bare Hono route with the same statements',
    stores: 1,
  }),
  postgresRow({
    ...durableWrite,
    name: 'durable write of 64 stores',
    what: '`POST disputes` of 64 stores, 64 clients; a bare Hono route with the same statements',
    stores: 64,
  }),
  postgresRow({
    name: 'read',
    what: '`GET settings`, 32 clients; a bare Hono route with two selects on ten connections',
    stores: 1,
    goal: 0.5,
    requestOf: showSettings,
    async startBare(place, { url, request: { origin, path: to, headers } }) {
      const answer = await globalThis.fetch(origin + to, { headers });
      return { floor: await startScript(place, 'bare-select-postgres', url, await answer.text()) };
    },
  }),
];
