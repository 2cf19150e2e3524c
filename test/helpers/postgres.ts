import { execFile, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { preparePostgres } from './postgres-programs.ts';

/** PostgreSQL's own locale, which is the same on every machine. */
const LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

export interface TestDatabase {
  readonly url: string;
  /** Of a superuser. */
  readonly adminUrl: string;
  /** Ends its connections. */
  drop(): Promise<void>;
}

export interface TestCluster {
  /** A new, empty database. The role of its URL is its owner, no superuser, and bound by row security. */
  createDatabase(): Promise<TestDatabase>;
  stop(): Promise<void>;
}

/** A PostgreSQL cluster of this test's own that really syncs its commits. */
export async function startPostgres(): Promise<TestCluster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-pg-'));
  const { bin, user } = await preparePostgres(folder);
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { TZ: 'UTC' } };
  const data = path.join(folder, 'data');
  await promisify(execFile)(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'admin', '-E', 'UTF8', ...LOCALE, '--auth=trust', '--no-sync'],
    options,
  );

  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    max_connections: 200,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Not by pg_ctl: the server is to be our child, so that it does not outlive us unnoticed.
  const server = spawn(path.join(bin, 'postgres'), ['-D', data, ...flags], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const killWithUs = () => server.kill('SIGQUIT');
  process.once('exit', killWithUs);
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', () => {
      if (log.includes('ready to accept connections')) resolve();
    });
    void ended.then(() => reject(new Error(`PostgreSQL did not start:\n${log}`)));
  });

  const origin = `127.0.0.1:${port}`;
  const administer = (sql: string) => query(`postgres://admin@${origin}/postgres`, sql);
  await administer('create role storectl login nosuperuser nobypassrls');
  let databases = 0;
  return {
    async createDatabase() {
      const name = `test_${++databases}`;
      await administer(`create database ${name} owner storectl`);
      return {
        url: `postgres://storectl@${origin}/${name}`,
        adminUrl: `postgres://admin@${origin}/${name}`,
        drop: async () => void (await administer(`drop database ${name} with (force)`)),
      };
    },
    async stop() {
      process.off('exit', killWithUs);
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs SQL on a connection of its own. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
