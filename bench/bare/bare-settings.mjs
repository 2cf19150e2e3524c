// A Hono route that answers with given bytes and does nothing else.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const [body] = process.argv.slice(2);
const app = new Hono();
app.get('/v1/stores/:storeId/operations/settings', (c) =>
  c.body(body, 200, { 'Content-Type': 'application/json' }),
);
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
