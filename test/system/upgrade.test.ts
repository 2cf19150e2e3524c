import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createKey, createStore, openStorage } from '../../src/service/index.ts';
import { freePort } from '../helpers/free-port.ts';
import { configureNginx, runNginx } from '../helpers/nginx.ts';
import { startPostgres } from '../helpers/postgres.ts';
import { newProgramMachine, type ProgramMachine, programMachineFor } from '../helpers/program.ts';
import { rowsOf } from '../helpers/rows.ts';
import { startService } from '../helpers/service.ts';

const cluster = await startPostgres();
afterAll(() => cluster.stop());

/** Starts an instance and resolves when it is ready, as the page on operating says. */
async function startInstance(
  machine: ProgramMachine,
  port: number,
  database: string,
  ...flags: readonly string[]
) {
  const args = [
    '--port',
    String(port),
    '--database',
    database,
    '--rate-limit',
    '0',
    '--no-delivery',
    ...flags,
  ];
  const instance = machine.start(['service', 'start', ...args], { hangsAfterMs: 200_000 });
  onTestFinished(() => void instance.process.kill('SIGKILL'));
  await instance.shown(/Listening on/);
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect(ready.status).toBe(200);
  return instance;
}

/** nginx as in the example, in front of two ports, or of one. */
async function startExample([first, second]: readonly [number, number?]) {
  const front = await freePort();
  const { folder, caFile } = await configureNginx('localhost', (files) =>
    readFileSync('examples/nginx.conf', 'utf8')
      .replace('127.0.0.1:4010', `127.0.0.1:${first}`)
      .replace(/server 127\.0\.0\.1:4011 (.*)/, second === undefined ? '' : `server 127.0.0.1:${second} $1`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${front} ssl`)
      .replace('/etc/ssl/certs/stores.example.com.pem', `${files}/cert.pem`)
      .replace('/etc/ssl/private/stores.example.com.key', `${files}/key.pem`),
  );
  await runNginx(folder, [front]);
  return { origin: `https://localhost:${front}`, caFile };
}

test('an upgrade behind nginx under 200 requests a second: at most a change or two has to be sent again, and each is made once', async () => {
  const database = await cluster.createDatabase();
  onTestFinished(database.drop);
  const storage = await openStorage(database.url);
  onTestFinished(() => storage.close());
  const { id: storeId } = await createStore(storage, { name: 'A' });
  const { key } = await createKey(storage, { storeId, preset: 'owner' });
  const ports = [await freePort(), await freePort()] as const;
  const machine = newProgramMachine();
  const start = (port: number) => startInstance(machine, port, database.url, '--drain', '5');
  const old = await start(ports[0]);
  const { origin, caFile } = await startExample(ports);

  const agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') }, connections: 64 });
  onTestFinished(() => agent.close());
  const base = `${origin}/v1/stores/${storeId}`;
  const requests = [
    ['GET', '/operations/settings', null],
    ['POST', '/blog/posts', { title: 'A post', contentMd: 'x' }],
    ['PUT', '/operations/settings', { discovery: { enabled: true } }],
    ['PATCH', '', { name: 'A' }],
  ] as const;
  const statuses = new Map<string, number>();
  const running = new Set<Promise<void>>();
  async function send(number: number): Promise<void> {
    const [method, path, body] = requests[number % requests.length] ?? requests[0];
    const content = body !== null && 'title' in body ? { ...body, title: `Post ${number}` } : body;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(base + path, {
      method,
      headers,
      dispatcher: agent,
      ...(content && { body: JSON.stringify(content) }),
    }).then(
      async (response) =>
        `${method} ${response.status} ${response.ok ? (await response.text()) && '' : await response.text()}`,
      (error: unknown) => `${method} ${String(error)}`,
    );
    statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
  }
  let sent = 0;
  const begun = performance.now();
  const load = setInterval(() => {
    // As many as are due at 200 a second, also where a timer was late.
    for (; sent < (performance.now() - begun) / 5; sent += 1) {
      const request: Promise<void> = send(sent).finally(() => running.delete(request));
      running.add(request);
    }
  }, 5);
  onTestFinished(() => clearInterval(load));

  await sleep(3_000);
  const next = await start(ports[1]);
  old.process.kill('SIGTERM');
  expect((await old.ended).exitCode).toBe(0);
  await sleep(3_000);
  // And back, as after an upgrade that was none.
  await start(ports[0]);
  next.process.kill('SIGTERM');
  expect((await next.ended).exitCode).toBe(0);
  await sleep(3_000);
  clearInterval(load);
  await Promise.all(running);

  // A connection that the system sets up between the last that an instance accepts and the end of its socket is reset. nginx passes
  // other methods on to the other instance, and answers these two by 503: nothing has read the request.
  const later = [...statuses].filter(([answer]) => /^(PATCH|POST) 503 /.test(answer));
  const others = [...statuses.keys()].filter((answer) => !later.some(([one]) => one === answer));
  expect(others.sort()).toEqual(['GET 200 ', 'PATCH 200 ', 'POST 201 ', 'PUT 200 ']);
  expect(later.reduce((total, [, count]) => total + count, 0)).toBeLessThanOrEqual(2);
  expect(sent).toBeGreaterThan(3_000);
  const posts = await rowsOf({ storage }, 'posts', 'position', 'title');
  expect(posts).toHaveLength(statuses.get('POST 201 ') ?? 0);
});

test.each([
  ['', null],
  [' behind nginx', startExample],
])('SQLite%s: an instance is restarted, and no command of an owner fails', async (_, startFront) => {
  const { databaseFile, storeId, apiKey } = await startService();
  const port = await freePort();
  const machine = newProgramMachine();
  let instance = await startInstance(machine, port, databaseFile);
  const front = await startFront?.([port]);
  const origin = front?.origin ?? `http://127.0.0.1:${port}`;
  const owner = programMachineFor(
    { origin, storeId, apiKey },
    front && { NODE_EXTRA_CA_CERTS: front.caFile },
  );
  let isOver = false;
  const ends: (readonly [string, number | null, string])[] = [];
  const commands = [
    ['blog', 'create', '--content-md', 'x', '--allow-duplicate', '--title', 'Sale'],
    ['settings', 'show'],
    ['backup', 'create', '--label', 'nightly', '--sections', 'store'],
    ['store', 'update', '--name', 'Juniper'],
  ];
  const working = commands.map(async (command) => {
    for (let count = 0; !isOver; count += 1) {
      const own = command.includes('--title') ? [...command.slice(0, -1), `Sale ${count}`] : command;
      const { exitCode, stderr } = await owner.run(own);
      ends.push([own.join(' '), exitCode, exitCode === 0 ? '' : stderr]);
    }
  });
  for (let restart = 0; restart < 2; restart += 1) {
    await sleep(2_000);
    instance.process.kill('SIGTERM');
    expect((await instance.ended).exitCode).toBe(0);
    instance = await startInstance(machine, port, databaseFile);
  }
  await sleep(2_000);
  isOver = true;
  await Promise.all(working);
  expect(ends.filter(([, exitCode]) => exitCode !== 0)).toEqual([]);
  expect(ends.length).toBeGreaterThan(4);
});
