// A Hono route that makes the statements of a dispute for each request in a database of the service, one store after the other,
// and nothing else: what a change under the lock of its store costs with the bare driver.
import { randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Pool } from 'pg';

const [connectionString] = process.argv.slice(2);
const pool = new Pool({ connectionString, max: 10, pipeline: true });
const time = '2026-01-01T00:00:00.000Z';

const statements = {
  answer: `select fingerprint, status, body, expires_at from idempotency_keys
    where store_id = $1 and operation = 'disputes.open' and target_id = '' and key = $2`,
  newest: `select sequence from events where store_id = $1 and sequence > 0 order by sequence desc limit 1`,
  dispute: `insert into disputes (store_id, id, kind, status, reason, risk_signals, deadline_at, appeal_deadline_at,
    idempotency_key, created_at, updated_at) values ($1, $2, $3, 'open', $4, '{}', $5, $5, $6, $5, $5)`,
  event: `insert into events (store_id, id, sequence, type, data, title, body, created_at)
    values ($1, $2, $3, 'dispute_opened', '{}', 'Title', 'Body', $4)`,
  kept: `insert into idempotency_keys (store_id, operation, target_id, key, fingerprint, status, body, expires_at)
    values ($1, 'disputes.open', '', $2, 'f', 201, $3, $4)`,
};

/** Each store's last change. */
const last = new Map();

function inTurn(storeId, work) {
  const result = (last.get(storeId) ?? Promise.resolve()).then(work);
  last.set(storeId, result);
  return result;
}

async function open(storeId, id, { kind, reason, idempotencyKey }) {
  const client = await pool.connect();
  const run = (name, ...values) => client.query({ name, text: statements[name], values });
  const begun = client.query(`begin; set local storectl.store_id = '${storeId}'; set local enable_sort = off;
    select from stores where id = '${storeId}' and deleted_at is null for no key update`);
  await Promise.all([begun, run('answer', storeId, idempotencyKey)]);
  const { rows } = await run('newest', storeId);
  await Promise.all([
    run('dispute', storeId, id, kind, reason, time, idempotencyKey),
    run('event', storeId, id, Number(rows[0]?.sequence ?? 0) + 1, time),
    run('kept', storeId, idempotencyKey, JSON.stringify({ id, kind, reason }), time),
    client.query('commit'),
  ]);
  client.release();
}

const app = new Hono();
app.post('/v1/stores/:storeId/operations/disputes', async (c) => {
  const body = await c.req.json();
  const id = randomUUID();
  const storeId = c.req.param('storeId');
  await inTurn(storeId, () => open(storeId, id, body));
  return c.json({ id, ...body }, 201);
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
