import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

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

/**
 * A PostgreSQL cluster of this test's own, made with the installed programs, that really syncs its commits. Rejects
 * where PostgreSQL is not installed: tests that need it must not pass without it.
 */
export async function startPostgres(): Promise<TestCluster> {
  const bin = findPrograms();
  const user = await unprivilegedUser();
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-pg-'));
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const as = user === null ? {} : { uid: user.uid, gid: user.gid };
  const options = { ...as, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC' } };
  const data = path.join(folder, 'data');
  await run(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'admin', '-E', 'UTF8', '--auth=trust', '--no-sync'],
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

/** The folder with initdb and postgres: the newest of Debian's, or the one on the path. */
function findPrograms(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => path.join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(path.delimiter),
  ];
  const folder = folders.find((candidate) =>
    ['initdb', 'postgres'].every((name) => existsSync(path.join(candidate, name))),
  );
  if (folder === undefined) {
    throw new Error(
      'PostgreSQL is not installed (no initdb): these tests need it. On Debian: apt-get install postgresql',
    );
  }
  return folder;
}

/** PostgreSQL refuses to run as root. Null where this is not root. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | null> {
  if (userInfo().uid !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(
        ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
      );
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // There is no such user here.
    }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as');
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
