import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { variableOf } from '../../src/commands/service/operator/service-settings.ts';
import { command as start } from '../../src/commands/service/start/start.ts';
import { newProgramMachine, programLine } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';
import { typed } from '../helpers/typed.ts';

test('variables set what options do not, and the log has JSON lines of the wanted level', async () => {
  const machine = newProgramMachine({
    STORECTL_SERVICE_PORT: '0',
    STORECTL_SERVICE_HOST: 'localhost',
    STORECTL_SERVICE_DATABASE: 'from-environment.db',
    STORECTL_SERVICE_LOG_LEVEL: 'warn',
  });
  const start = async (...args: string[]) => {
    const service = machine.start(['service', 'start', '--json', ...args]);
    onTestFinished(() => void service.process.kill('SIGKILL'));
    const [, origin = ''] = await service.shown(/"origin":"([^"]+)"/);
    for (const path of ['/healthz', '/']) expect((await globalThis.fetch(origin + path)).status).toBe(200);
    service.process.kill('SIGTERM');
    const { exitCode, stderr } = await service.ended;
    return { origin, exitCode, lines: stderr.trim() === '' ? [] : stderr.trim().split('\n') };
  };

  const quiet = await start();
  expect(quiet).toMatchObject({ exitCode: 0, lines: [] });
  expect(quiet.origin).toMatch(/^http:\/\/localhost:/);

  const verbose = await start('--host', '127.0.0.1', '--log-level', 'info');
  expect(verbose.exitCode).toBe(0);
  expect(verbose.origin).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const records = verbose.lines.map((line) => JSON.parse(line));
  const shown = records.filter(({ route }) => route !== undefined);
  expect(shown).toMatchObject([{ level: 'info', route: '/', status: 200, clientAddress: '127.0.0.1' }]);
  expect(records[0].message).toContain('from-environment.db');
  for (const { time } of records) expect(new Date(time).toISOString()).toBe(time);
}, 120_000);

test('in a pipe, all that it prints is JSON lines; with --quiet, it is the address', async () => {
  const machine = newProgramMachine();
  const outputOf = async (pattern: RegExp, ...args: string[]) => {
    const service = machine.start(['service', 'start', '--port', '0', ...args]);
    onTestFinished(() => void service.process.kill('SIGKILL'));
    await service.shown(pattern);
    service.process.kill('SIGTERM');
    return service.ended;
  };

  const { stdout, stderr } = await outputOf(/Listening on/);
  expect(stdout).toBe('');
  const messages = stderr
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text).message);
  expect(messages).toEqual([
    expect.stringMatching(/^Listening on http:\/\/127\.0\.0\.1:\d+ with the database .*service\.db$/),
    'Stopping.',
  ]);
  expect(await outputOf(/http:/, '-q')).toMatchObject({
    stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\n$/),
    stderr: '',
  });
}, 60_000);

test('in a terminal, the log is lines to read', async () => {
  const machine = newProgramMachine();
  const terminal = await openTerminal(machine.folder, machine.env, { columns: 120 });
  terminal.type(`${programLine} service start --port 0`);
  const [, origin = ''] = /Listening on (\S+) with/.exec(await terminal.shows(/Press Ctrl-C to stop/)) ?? [];
  const path = `/v1/stores/${randomUUID()}/operations/settings`;

  expect((await globalThis.fetch(origin + path)).status).toBe(401);

  await terminal.shows(
    /^\d\d:\d\d:\d\d GET \/v1\/stores\/\{storeId\}\/operations\/settings 401 [\d.]+ ms code=\w+$/m,
  );
  terminal.press('C-c');
  expect(await terminal.shows(/Stopping\./)).not.toContain('{"');
});

// A terminal that goes and the shell in it both send SIGHUP; systemd can send it behind SIGTERM.
test.each([
  { signals: ['SIGTERM'] },
  { signals: ['SIGHUP', 'SIGHUP'] },
  { signals: ['SIGHUP', 'SIGTERM'] },
  { signals: ['SIGTERM', 'SIGHUP'] },
] as const)('$signals: a service that drains answers until the time is over', async ({ signals }) => {
  const machine = newProgramMachine();
  const service = machine.start(['service', 'start', '--port', '0', '--drain', '2']);
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const [, origin = ''] = await service.shown(/Listening on (\S+) with/);
  const statusOf = async (path: string) => (await globalThis.fetch(origin + path)).status;
  expect(await statusOf('/readyz')).toBe(200);
  for (const signal of signals) {
    service.process.kill(signal);
    await service.shown(/Stopping/);
  }
  expect([await statusOf('/readyz'), await statusOf('/healthz')]).toEqual([503, 200]);
  expect((await service.ended).exitCode).toBe(0);
});

test.each([
  ['STORECTL_SERVICE_PORT', '70000', 'STORECTL_SERVICE_PORT must be a whole number from 0 to 65535'],
  ['STORECTL_SERVICE_RATE_LIMIT', 'x', 'STORECTL_SERVICE_RATE_LIMIT must be a whole number'],
  ['STORECTL_SERVICE_DRAIN', 'x', 'STORECTL_SERVICE_DRAIN must be a whole number'],
  ['STORECTL_SERVICE_RETENTION', 'x', 'STORECTL_SERVICE_RETENTION must be a whole number'],
  ['STORECTL_SERVICE_METRICS_PORT', 'x', 'STORECTL_SERVICE_METRICS_PORT must be a whole number'],
  ['STORECTL_SERVICE_TRUSTED_PROXY', 'x', 'STORECTL_SERVICE_TRUSTED_PROXY must be IP addresses'],
  ['STORECTL_SERVICE_DELIVERY_SINK', 'x', 'STORECTL_SERVICE_DELIVERY_SINK must be'],
  ['STORECTL_SERVICE_POOL_SIZE', 'many', 'STORECTL_SERVICE_POOL_SIZE must be a whole number from 2 to 1000'],
  [
    'STORECTL_SERVICE_LOG_LEVEL',
    'loud',
    'STORECTL_SERVICE_LOG_LEVEL must be one of error, warn, info, debug',
  ],
])('a wrong value of %s is refused by its name', async (name, value, message) => {
  const { exitCode, stderr } = await newProgramMachine({ [name]: value }).run(['service', 'start']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) });
});

test('proxies that are no addresses are refused', async () => {
  const { exitCode, stderr } = await newProgramMachine().run(typed`service start --trusted-proxy nginx`);
  expect(exitCode).toBe(2);
  const message = '--trusted-proxy must be IP addresses or networks, comma-separated (got "nginx")';
  expect(JSON.parse(stderr)).toMatchObject({ code: 'usage', message });
});

test('a refusal of a change says which post has the slug', async () => {
  const machine = newProgramMachine({ STORECTL_SERVICE_DATABASE: 'service.db' });
  const storeId = (await machine.run(typed`service stores create --name Shop -q`)).stdout.trim();
  const created = await machine.run(['service', 'keys', 'create', '--store', storeId, '-q']);
  const service = machine.start(['service', 'start', '--port', '0']);
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const [, origin = ''] = await service.shown(/Listening on (\S+) with/);
  const post = async () => {
    const response = await globalThis.fetch(`${origin}/v1/stores/${storeId}/blog/posts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${created.stdout.trim()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Hello', contentMd: 'Hi' }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const first = await post();
  expect(first.status).toBe(201);
  expect(await post()).toMatchObject({
    status: 409,
    body: { code: 'slug_taken', existing: { id: first.body.id, title: 'Hello' } },
  });
});

test('every option of service start has a variable', () => {
  const flags = (start.options ?? []).map(({ flag }) => flag);
  expect(flags.length).toBeGreaterThan(10);
  expect(flags.filter((flag) => variableOf(flag) === '')).toEqual([]);
});

test('the log of operators names the person who runs a command by sudo as the user of the service', async () => {
  const machine = newProgramMachine({ SUDO_USER: 'alice' });
  expect((await machine.run(typed`service stores create --name Outlet`)).exitCode).toBe(0);

  const { stdout } = await machine.run(typed`service log --json`);

  expect(JSON.parse(stdout)).toMatchObject([{ runBy: 'alice', command: 'stores create' }]);
});
