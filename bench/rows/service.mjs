import path from 'node:path';
import { newPostgresDatabase } from '../lib/postgres.mjs';
import { rateOf } from '../lib/rate.mjs';
import { startScript, startService } from '../lib/scene.mjs';

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
  goals: () => [{ of: 'ratio', atLeast: 0.6 }],
  async prepare(place) {
    const service = await startService(place);
    const { origin, key } = service;
    const headers = { authorization: `Bearer ${key}` };
    const request = { method: 'GET', path: `/v1/stores/${service.storeId}/operations/settings`, headers };
    const answer = await globalThis.fetch(origin + request.path, { headers });
    const bare = await startScript(place, 'bare-settings', await answer.text());
    return {
      subject: () => rateOf({ ...request, origin }),
      floor: () => rateOf({ ...request, origin: bare.origin }),
      end: () => Promise.all([service.stop(), bare.stop()]),
    };
  },
};

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

const writeOnPostgres = {
  name: 'service on PostgreSQL: durable write',
  what: '`POST disputes` of one store, 32 clients, on PostgreSQL; a bare Hono route with one insert for each and ten connections',
  engine: 'postgres',
  unit,
  perRound,
  warmUps,
  goals: () => [{ of: 'ratio', atLeast: 0.2 }],
  async prepare(place) {
    const database = await newPostgresDatabase();
    const bareDatabase = await newPostgresDatabase();
    const service = await startService({ ...place, database: database.url });
    const bare = await startScript(place, 'bare-insert-postgres', bareDatabase.url);
    const request = openDispute(service);
    return {
      subject: () => rateOf({ ...request, origin: service.origin }),
      floor: () => rateOf({ ...request, origin: bare.origin }),
      end: () =>
        Promise.all([service, bare].map(({ stop }) => stop())).then(() =>
          Promise.all([database.end(), bareDatabase.end()]),
        ),
    };
  },
};

export const serviceRows = [read, write, writeOnPostgres];
