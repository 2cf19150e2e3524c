// A Hono route that makes two selects by key for each request from PostgreSQL, and nothing else.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Pool } from 'pg';

const [connectionString, body] = process.argv.slice(2);
const pool = new Pool({ connectionString, max: 10 });
await pool.query('create table settings (id text primary key, body text not null)');
await pool.query('create table api_keys (id text primary key)');
await pool.query('insert into settings values ($1, $2)', ['store', body]);
await pool.query('insert into api_keys values ($1)', ['key']);

const app = new Hono();
app.get('/v1/stores/:storeId/operations/settings', async (c) => {
  await pool.query({ name: 'key', text: 'select * from api_keys where id = $1', values: ['key'] });
  const { rows } = await pool.query({
    name: 'settings',
    text: 'select * from settings where id = $1',
    values: ['store'],
  });
  return c.body(rows[0].body, 200, { 'Content-Type': 'application/json' });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
