import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type App, parseTrustedProxies } from '../../../src/service/index.ts';
import { gate } from '../../helpers/gate.ts';
import { openService, serve } from '../helpers/service.ts';

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;

function open(origin: string) {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

const statusesOf = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

test('1000 pipelined requests for openapi.json take little memory, and the 17th is refused', async () => {
  const service = await openService();
  const server = await serve(service.app);
  // Compiles and makes the document.
  const warm = open(server.origin);
  warm.end(get('/openapi.json'));
  const one = (await text(warm)).length;

  const before = process.memoryUsage().rss;
  const socket = open(server.origin);
  socket.write(get('/openapi.json').repeat(1_000));
  await once(socket, 'readable');
  const grown = process.memoryUsage().rss - before;
  const received = await text(socket);
  expect(grown).toBeLessThan(50 * 1024 * 1024);
  expect(statusesOf(received)).toEqual([...Array(16).fill('200'), '503']);
  expect(received.length).toBeLessThan(17 * one);
});

test('the 17th unanswered request is not run: it is refused in its turn, and nothing more is read', async () => {
  const started: string[] = [];
  const lines: object[] = [];
  const { opened: released, open: release } = gate();
  const app: App = async ({ path }) => {
    started.push(path);
    await released;
    return { status: 200, headers: { 'Content-Length': String(path.length) }, body: path };
  };
  const server = await serve(app, { log: (line) => lines.push(line) });
  const socket = open(server.origin);
  const paths = Array.from({ length: 40 }, (_, number) => `/${number}`);
  socket.write(paths.map((path) => get(path)).join(''));
  const received = text(socket);
  while (started.length < 16) await sleep(5);
  // What is not read fills the buffers of both systems, so the client cannot send all of this.
  const isSent = new Promise((resolve) =>
    socket.write(get('/more').repeat(1_000_000), () => resolve('sent')),
  );
  expect(await Promise.race([isSent, sleep(500, 'not read')])).toBe('not read');
  release();

  const answers = (await received).split(/(?=HTTP\/1\.1)/);
  expect(statusesOf(answers.join(''))).toEqual([...Array(16).fill('200'), '503']);
  expect(answers.slice(0, 16).map((answer) => answer.split('\r\n\r\n')[1])).toEqual(paths.slice(0, 16));
  expect(answers[16]).toMatch(/\r\nConnection: close\r\n/);
  expect(answers[16]).toContain('"code":"busy"');
  expect(started).toEqual(paths.slice(0, 16));
  expect(lines).toMatchObject([{ status: 503, code: 'busy', clientAddress: '127.0.0.1' }]);
});

test('a client that waits for its answers can send any number of requests', async () => {
  const service = await openService();
  const server = await serve(service.app);
  const socket = open(server.origin);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  for (let number = 1; number <= 40; number++) {
    socket.write(get('/healthz'));
    while (statusesOf(received).length < number) await sleep(1);
  }
  socket.destroy();
  expect(new Set(statusesOf(received))).toEqual(new Set(['200']));
});

test.for([
  ['nobody is trusted', undefined, '198.51.100.1', '127.0.0.1'],
  ['the peer is trusted', '127.0.0.0/8', '198.51.100.1', '198.51.100.1'],
  ['the client writes the header too', '10.0.0.1, 127.0.0.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
  ['another peer is trusted', '10.0.0.1', '198.51.100.1', '127.0.0.1'],
  ['the header has no address', '127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
] as const)('the address of a client when %s', async ([, trusted, forwarded, expected]) => {
  const isTrustedProxy = trusted === undefined ? undefined : (parseTrustedProxies(trusted) ?? undefined);
  const lines: object[] = [];
  const service = await openService({ log: (line) => lines.push(line) });
  const server = await serve(service.app, { isTrustedProxy });
  const socket = open(server.origin);
  socket.write(get('/openapi.json', `X-Forwarded-For: ${forwarded}\r\nConnection: close\r\n`));
  await text(socket);
  expect(lines).toMatchObject([{ clientAddress: expected }]);
});

test.for(['', 'x', '10.0.0.1,', '10.0.0.0/33', '10.0.0.0/8/8', '::1/129', '10.0.0.0/-1'])(
  '"%s" names no proxies',
  (list) => {
    expect(parseTrustedProxies(list)).toBeNull();
  },
);
