// A Hono route that makes one durable insert for each request into PostgreSQL, on so many connections, and nothing else.
import { randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Pool } from 'pg';

const [connectionString, connections] = process.argv.slice(2);
const pool = new Pool({ connectionString, max: Number(connections) });
await pool.query('create table if not exists disputes (id text primary key, body text not null)');

const app = new Hono();
app.post('/v1/stores/:storeId/operations/disputes', async (c) => {
  const body = await c.req.json();
  const id = randomUUID();
  await pool.query({
    name: 'insert',
    text: 'insert into disputes values ($1, $2)',
    values: [id, JSON.stringify(body)],
  });
  return c.json({ id, ...body }, 201);
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
