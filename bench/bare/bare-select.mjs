// A Hono route that makes two selects by key for each request from the engine of the service, and nothing else.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import Database from 'libsql';

const [file, body] = process.argv.slice(2);
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.exec('create table settings (id text primary key, body text not null)');
database.exec('create table api_keys (id text primary key, sha256 text not null)');
database.prepare('insert into settings values (?, ?)').run('store', body);
database.prepare('insert into api_keys values (?, ?)').run('key', 'f'.repeat(64));
const findKey = database.prepare('select * from api_keys where id = ?');
const findSettings = database.prepare('select * from settings where id = ?');

const app = new Hono();
app.get('/v1/stores/:storeId/operations/settings', (c) => {
  findKey.all('key');
  const [row] = findSettings.all('store');
  return c.body(row.body, 200, { 'Content-Type': 'application/json' });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
