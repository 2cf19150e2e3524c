import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import type { CliError } from '../../../src/cli/core/errors.ts';
import { explainWork } from '../../../src/commands/service/operator/database-errors.ts';
import { StorageBusyError } from '../../../src/service/index.ts';
import { newMachine, temporaryFolder } from '../../helpers/cli.ts';
import { freePort } from '../../helpers/free-port.ts';

async function startError(args: readonly string[]) {
  const result = await newMachine().run(['service', 'start', '--port', '0', ...args, '--json']);
  expect(result).toMatchObject({ exitCode: 11, stdout: '' });
  const { error } = JSON.parse(result.stderr.trim().split('\n').at(-1) ?? '');
  expect(error.hint).toBeTypeOf('string');
  return { ...error, stderr: result.stderr };
}

test('a database that cannot be used is an error that says what to do', async () => {
  const folder = temporaryFolder();
  const garbage = path.join(folder, 'garbage.db');
  writeFileSync(garbage, 'not a database, but longer than the header of one '.repeat(20));
  expect(await startError(['--database', garbage])).toMatchObject({
    code: 'database_unusable',
    message: `cannot open the database ${garbage}: file is not a database`,
  });

  mkdirSync(path.join(folder, 'a-folder'));
  const isFolder = await startError(['--database', path.join(folder, 'a-folder')]);
  expect(isFolder.message).toMatch(/is a directory$/);
});

test('the database of another program is left alone', async () => {
  const file = path.join(temporaryFolder(), 'notes.db');
  const other = new Database(file);
  other.exec('create table notes (text text)');
  other.close();

  expect(await startError(['--database', file])).toMatchObject({
    code: 'database_unusable',
    message: expect.stringContaining('the database of another program (it has a table "notes")'),
  });
  const after = new Database(file);
  onTestFinished(() => void after.close());
  expect(after.prepare('select name from sqlite_master').all()).toEqual([{ name: 'notes' }]);
});

test.each([
  ['keys', 'list', '--store', 's'],
  ['keys', 'create', '--store', 's', '--preset', 'owner'],
  ['deliveries', 'list', '--store', 's'],
])('a mistyped name makes no database: service %s', async (...args) => {
  const machine = newMachine();
  const file = path.join(machine.folder, 'mistyped.db');

  const { exitCode, stdout, stderr } = await machine.run(['service', ...args, '--database', file]);

  expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: '' });
  expect(stderr).toContain(`database ${file} does not exist`);
  expect(stderr).toContain(`service stores create --database ${file}`);
  expect(existsSync(file)).toBe(false);
});

test.each([
  ['start', '--port', '0'],
  ['stores', 'create', '--name', 'Outlet'],
])('a folder that does not exist is not created: service %s', async (...args) => {
  const machine = newMachine();
  const folder = path.join(machine.folder, 'mistyped');

  const { exitCode, stderr } = await machine.run([
    ...['service', ...args, '--database', path.join(folder, 'service.db')],
  ]);

  expect(exitCode).toBe(11);
  expect(stderr).toContain(`folder ${folder} does not exist`);
  expect(existsSync(folder)).toBe(false);
});

test('an error about an unreachable PostgreSQL leaves out the password of the URL', async () => {
  const port = await freePort();
  for (const [url, message] of Object.entries({
    [`postgres://me:hidden1@127.0.0.1:${port}/db?password=hidden2`]: /connection refused/,
    'postgres://me:hidden1@no-such-host.invalid/db': /host name/,
  })) {
    const error = await startError(['--database', url]);
    expect(error).toMatchObject({ code: 'database_unusable', message: expect.stringMatching(message) });
    expect(error.stderr).not.toMatch(/hidden/);
  }
});

test.each([
  ['--port', {}],
  [
    '--metrics-port',
    { hint: 'choose another with --metrics-port or --metrics-host (--metrics-port 0 chooses a free one)' },
  ],
])('a port for %s that is in use is an error', async (flag, more) => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await startError([flag, String(port)])).toMatchObject({
    code: 'cannot_listen',
    message: `cannot listen on 127.0.0.1:${port}: address already in use`,
    ...more,
  });
});

test('a start that fails accepts no requests first, which it would have to drain', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const flags = ['--port', '0', '--drain', '3600', '--metrics-port', String(port)];

  const { exitCode, stdout, stderr } = await newMachine().run(['service', 'start', ...flags]);

  expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: '' });
  expect(
    stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).code),
  ).toEqual(['cannot_listen']);
});

test('work on a database that another process has locked is an error with advice, not a bug', async () => {
  const machine = newMachine();
  const create = (name: string) =>
    machine.run(['service', 'stores', 'create', '--name', name, '--database', 'a.db', '--json']);
  expect((await create('First')).exitCode).toBe(0);
  const other = new Database(path.join(machine.folder, 'a.db'));
  onTestFinished(() => void other.close());
  other.exec('begin immediate');

  const { exitCode, stderr } = await create('Second');

  expect(exitCode).toBe(11);
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'database_unusable',
    message: expect.stringContaining('the database is locked by another process'),
    hint: 'wait until the other process is done, then try again',
  });
});

test.each([
  ['SQLITE_FULL', 'service.db', 'free some space on its disk'],
  ['53100', 'postgres://h/d', 'free some space on its disk'],
  ['SQLITE_IOERR_SHMSIZE', 'service.db', 'check its disk: it may be full, or broken'],
  ['SQLITE_CORRUPT', 'service.db', 'storectl service restore'],
  ['25006', 'postgres://h/d', 'connect to the primary server'],
  ['SQLITE_READONLY', 'service.db', 'check its permissions'],
  ['ECONNREFUSED', 'postgres://h/d', 'PostgreSQL is running there'],
])('what to do about %s of %s', (code, location, advice) => {
  const cause = Object.assign(new Error('as the engine says'), { code });
  const error = new StorageBusyError('the database could not save the changes', { cause });

  const explained = explainWork(error, location, 'not this', {}) as CliError;

  expect(explained.failure).toMatchObject({
    code: 'database_unusable',
    exitCode: 11,
    next: [{ say: expect.stringContaining(advice) }],
  });
  expect(explained.message).toMatch(/^the database could not save the changes \(/);
});

test('a start that fails is one JSON line in a log, and words in a terminal', async () => {
  const args = ['service', 'start', '--database', `postgres://me:hidden@127.0.0.1:${await freePort()}/db`];
  const logged = await newMachine().run(args);
  expect({ ...JSON.parse(logged.stderr), exitCode: logged.exitCode }).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    level: 'error',
    code: 'database_unusable',
    message: expect.stringContaining('connection refused'),
    hint: expect.stringContaining('PostgreSQL is running there'),
    exitCode: 11,
  });
  expect(logged.stderr).toMatch(/^[^\n]+\n$/);
  expect(logged.stderr).not.toContain('hidden');
  expect(await newMachine().run(args, { isTerminal: true, env: { NO_COLOR: '1' } })).toMatchObject({
    exitCode: 11,
    stderr: expect.stringMatching(/^error: cannot open the database/),
  });
});
