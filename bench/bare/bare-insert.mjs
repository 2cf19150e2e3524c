// A Hono route that makes one durable insert for each request into the engine of the service, and nothing else.
import { randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import Database from 'libsql';

const [file] = process.argv.slice(2);
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('create table disputes (id text primary key, body text not null) without rowid');
const insert = database.prepare('insert into disputes values (?, ?)');

const app = new Hono();
app.post('/v1/stores/:storeId/operations/disputes', async (c) => {
  const body = await c.req.json();
  const id = randomUUID();
  insert.run(id, JSON.stringify(body));
  return c.json({ id, ...body }, 201);
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
