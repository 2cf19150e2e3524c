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
  what: '`GET settings`, 32 clients; a bare Hono route with the same bytes',
  unit,
  perRound,
  warmUps,
  goals: () => [{ of: 'ratio', atLeast: 0.4 }],
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
      floor: () => rateOf({ ...request, origin: bare.origin }),
      peers: { 'bare route with two selects': () => rateOf({ ...request, origin: withSelects.origin }) },
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

/** A row on PostgreSQL: the service beside a bare route with ten connections, which is given a URL and an answer. */
const postgresRow = ({ name, what, goal, script, stores, requestOf, answerOf = async () => '' }) => ({
  name: `service on PostgreSQL: ${name}`,
  what: `${what}, on PostgreSQL, ten connections each`,
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
    const answer = await answerOf(service.origin, targets[0]);
    const bare = await startScript(place, script, bareDatabase.url, answer);
    const rate = (origin) => rateOf({ method, body, targets, origin }, { connections: Math.max(32, stores) });
    return {
      subject: () => rate(service.origin),
      floor: () => rate(bare.origin),
      end: () =>
        Promise.all([service, bare].map(({ stop }) => stop())).then(() =>
          Promise.all([database.end(), bareDatabase.end()]),
        ),
    };
  },
});

const insertOnPostgres = { script: 'bare-insert-postgres', requestOf: openDispute };

export const serviceRows = [
  read,
  write,
  postgresRow({
    ...insertOnPostgres,
    name: 'durable write',
    what: '`POST disputes` of one store, 32 clients; a bare Hono route with one synced insert for each',
    stores: 1,
    goal: 0.25,
  }),
  postgresRow({
    ...insertOnPostgres,
    name: 'durable write of 64 stores',
    what: '`POST disputes` of 64 stores, 64 clients; a bare Hono route with one synced insert for each',
    stores: 64,
    goal: 0.5,
  }),
  postgresRow({
    name: 'read',
    what: '`GET settings`, 32 clients; a bare Hono route with two selects',
    script: 'bare-select-postgres',
    stores: 1,
    goal: 0.5,
    requestOf: showSettings,
    answerOf: async (origin, { path: to, headers }) =>
      (await globalThis.fetch(origin + to, { headers })).text(),
  }),
];
