import { execFile, spawn } from 'node:child_process';
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startForwarder } from './forwarder.ts';
import { freePort } from './free-port.ts';
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
  const machine = await newServerMachine();
  const data = await machine.initialize();
  const server = await machine.start(data);
  const { port } = server;
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
      await server.stop('SIGINT');
      machine.remove();
    },
  };
}

interface Server {
  readonly port: number;
  /** Sends SIGINT, SIGQUIT (as a crash), SIGSTOP or SIGCONT to the server and its connections. */
  signal(name: NodeJS.Signals): void;
  /** Stops it: SIGINT at once but in order, SIGQUIT as a crash does. */
  stop(name: 'SIGINT' | 'SIGQUIT'): Promise<void>;
}

/** A folder in which PostgreSQL servers run. */
async function newServerMachine() {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-pg-'));
  const { bin, user } = await preparePostgres(folder);
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { TZ: 'UTC' } };

  return {
    remove: () => rmSync(folder, { recursive: true, force: true }),

    /** Makes a data folder and answers its path. */
    async initialize(): Promise<string> {
      const data = path.join(folder, 'data');
      await promisify(execFile)(
        path.join(bin, 'initdb'),
        ['-D', data, '-U', 'admin', '-E', 'UTF8', ...LOCALE, '--auth=trust', '--no-sync'],
        options,
      );
      return data;
    },

    /** Copies the data folder of a server that is not running, for a standby of the server at this port. */
    async copyForStandby(data: string, port: number): Promise<string> {
      const copy = `${data}-standby`;
      await promisify(execFile)('cp', ['-a', data, copy], options);
      writeFileSync(path.join(copy, 'standby.signal'), '');
      appendFileSync(
        path.join(copy, 'postgresql.auto.conf'),
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=admin'\n`,
      );
      return copy;
    },

    async start(data: string, settings: Readonly<Record<string, string>> = {}, at?: number): Promise<Server> {
      const port = at ?? (await freePort());
      const all = {
        listen_addresses: '127.0.0.1',
        port,
        unix_socket_directories: folder,
        max_connections: 200,
        ...settings,
      };
      const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
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
          if (/ready to accept (?:read-only )?connections/.test(log)) resolve();
        });
        void ended.then(() => reject(new Error(`PostgreSQL did not start:\n${log}`)));
      });
      return {
        port,
        signal: (name) => void server.kill(name),
        async stop(name) {
          process.off('exit', killWithUs);
          server.kill(name);
          await ended;
        },
      };
    },
  };
}

export interface ReplicatedPair {
  /** Of the database, at an address that leads to the primary. */
  readonly url: string;
  readonly primary: Server;
  readonly standby: Server;
  /** Makes the standby the primary, and the address lead to it. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** A primary, and a standby that has every commit before its client knows of it. */
export async function startReplicatedPair(): Promise<ReplicatedPair> {
  const machine = await newServerMachine();
  const data = await machine.initialize();
  const port = await freePort();
  const copy = await machine.copyForStandby(data, port);
  const primary = await machine.start(data, { synchronous_standby_names: '*' }, port);
  const standby = await machine.start(copy);
  const admin = (at: Server, database: string) => `postgres://admin@127.0.0.1:${at.port}/${database}`;
  await query(admin(primary, 'postgres'), 'create role storectl login nosuperuser nobypassrls');
  await query(admin(primary, 'postgres'), 'create database pair owner storectl');
  const front = await startForwarder(primary.port);
  return {
    url: `postgres://storectl@127.0.0.1:${front.port}/pair`,
    primary,
    standby,
    async promote() {
      await query(admin(standby, 'postgres'), 'select pg_promote()');
      front.goTo(standby.port);
    },
    async stop() {
      front.stop();
      for (const server of [primary, standby]) await server.stop('SIGQUIT');
      machine.remove();
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
