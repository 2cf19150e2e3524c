import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type App, type ListenOptions, listen } from '../../../src/service/index.ts';
import { gate } from '../../helpers/gate.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { expectConformance } from '../helpers/conformance.ts';
import { openService, serve } from '../helpers/service.ts';

function plainAnswer(body: string) {
  return { status: 200, headers: { 'Content-Length': String(body.length) }, body };
}

/** An app whose answer waits until the test lets it go. */
function waitingApp() {
  const arrival = gate();
  const release = gate();
  const app: App = async () => {
    arrival.open();
    await release.opened;
    return plainAnswer('done');
  };
  return { app, arrived: arrival.opened, release: release.open };
}

/** A service with one store behind a server, and what it logs. */
async function serveStore(options: Partial<ListenOptions> = {}) {
  const lines: object[] = [];
  const log = (entry: object) => void lines.push(entry);
  const service = await openService({ log });
  return { service, server: await serve(service.app, { log, ...options }), lines };
}

async function get(url: string, agent?: Agent): Promise<IncomingMessage> {
  const [response] = await once(request(url, { agent }).end(), 'response');
  return response;
}

/** What becomes of a connection that sends nothing: `connected`, or the code of the error. */
function connecting(origin: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
    socket.on('connect', () => {
      socket.destroy();
      resolve('connected');
    });
  });
}

test('the service answers over HTTP on a free port', async () => {
  const { service, server } = await serveStore();
  expect(server.origin).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);

  const outgoing = request(`${server.origin}/v1/stores/${service.storeId}/blog/posts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
  });
  outgoing.end(JSON.stringify({ title: 'Über HTTP 😀', contentMd: 'x' }));
  const [response] = await once(outgoing, 'response');
  expect(response.statusCode).toBe(201);
  expect(response.headers['content-type']).toBe('application/json');
  expect(JSON.parse(await text(response))).toMatchObject({ title: 'Über HTTP 😀' });
});

test.each([
  [
    'a body that says it is too long, before it comes',
    '/operations/disputes',
    { 'content-length': '65537' },
    413,
  ],
  ['a body that is too long, while it is still coming', '/blog/posts', {}, 413],
  [
    'a request without a valid key',
    '/blog/posts',
    { authorization: 'Bearer wrong', 'content-length': '1000' },
    401,
  ],
])('%s is refused, and the connection closed', async (_, path, headers, status) => {
  const { service, server } = await serveStore();
  const outgoing = request(`${server.origin}/v1/stores/${service.storeId}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', ...headers },
  });
  outgoing.on('error', () => {});
  if ('content-length' in headers) outgoing.flushHeaders();
  else outgoing.write('x'.repeat(1024 * 1024 + 1));
  const [response] = await once(outgoing, 'response');
  expect(response.statusCode).toBe(status);
  // The rest never comes.
  await once(response.resume(), 'close');
});

test('a body that drips in is refused, and its connection closed', async () => {
  const { service, server } = await serveStore({ receiveMs: 300 });
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /v1/stores/${service.storeId}/blog/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
  );
  const drip = setInterval(() => socket.write(' '), 50);
  onTestFinished(() => clearInterval(drip));
  expect(parseAnswer(await text(socket))).toMatchObject({ status: 408, body: { code: 'request_timeout' } });
});

test('a client that disconnects in the middle of its body changes nothing', async () => {
  const { service, server, lines } = await serveStore();
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  const body = '{"title":"Half","contentMd":"x"}';
  socket.write(
    `POST /v1/stores/${service.storeId}/blog/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length + 10}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
  await vi.waitFor(() => expect(lines).toMatchObject([{ status: 400 }]));
  expect(await rowsOf(service, 'posts', 'id')).toEqual([]);
});

/** Sends bytes as they are, and reads until the service closes the connection. */
async function exchange(origin: string, ...chunks: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  for (const chunk of chunks) socket.write(chunk);
  return text(socket);
}

const withHeaders = (headers: string) => `GET /healthz HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

test.each([
  ['no HTTP at all', `\x16\x03\x01${'x'.repeat(500_000)}`, 400, 'malformed_request'],
  ['a header that is no field', withHeaders('no field\r\n'), 400, 'malformed_request'],
  ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
  ['a second Host', withHeaders('HOST: y\r\n'), 400, 'malformed_request'],
  [
    'a second Authorization',
    withHeaders('Authorization: Bearer a\r\nauthorization: Bearer b\r\n'),
    400,
    'malformed_request',
  ],
  [
    'a second Content-Type',
    withHeaders('Content-Type: application/json\r\nContent-Type: text/plain\r\n'),
    400,
    'malformed_request',
  ],
  ['another version of HTTP', 'GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
  ['a request with too many headers', withHeaders('X: y\r\n'.repeat(100)), 431, 'headers_too_large'],
  ['a request with 1 900 headers', withHeaders('X: y\r\n'.repeat(1_900)), 431, 'headers_too_large'],
  ['a header that is too large', withHeaders(`X: ${'x'.repeat(20_000)}\r\n`), 431, 'headers_too_large'],
  [
    'an expectation that nobody knows',
    withHeaders('Expect: tea\r\nConnection: close\r\n'),
    417,
    'expectation_failed',
  ],
  ['a header that does not come in', 'GET /hea', 408, 'request_timeout'],
])('%s is answered with problem details and logged', async (_, sent, status, code) => {
  // What arrives whole has time for it on a slow machine, too.
  const { server, lines } = await serveStore(code === 'request_timeout' ? { receiveMs: 200 } : {});
  const answer = parseAnswer(await exchange(server.origin, sent));
  expect(answer).toMatchObject({ status, body: { code } });
  expectConformance('GET', '/healthz', answer.response, answer.body);
  expect(answer.response.headers.get('connection')).toBe('close');
  const { requestId } = answer.body;
  expect(lines).toMatchObject([{ route: 'none', status, requestId, keyId: null }]);
});

test('clients that ask for a tunnel and disconnect do not stop the service', async () => {
  const { server } = await serveStore();
  for (let round = 0; round < 20; round++) {
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    setImmediate(() => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  expect(await exchange(server.origin, request)).toMatch(/^HTTP\/1\.1 200 /);
});

test.for([
  { name: 'malformed', rest: 'no chunk\r\n', status: 400, code: 'malformed_request' },
  { name: 'not coming in', rest: '', status: 408, code: 'request_timeout' },
])('a body that is $name changes nothing', async ({ rest, status, code }) => {
  const { service, server, lines } = await serveStore(code === 'request_timeout' ? { receiveMs: 200 } : {});
  const start =
    `POST /v1/stores/${service.storeId}/blog/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n` +
    'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n';
  const answer = parseAnswer(await exchange(server.origin, start, rest));
  expect(answer).toMatchObject({ status, body: { code } });
  expect(lines).toMatchObject([{ method: 'POST', status, requestId: answer.body.requestId }]);
});

test('bytes that are not HTTP after a request do not replace its answer', async () => {
  const { app, arrived, release } = waitingApp();
  const server = await serve(app);
  const received = exchange(server.origin, 'GET / HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n');
  await arrived;
  release();
  const [first, second] = (await received).split(/(?=HTTP\/1\.1 400)/);
  expect(first).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*done/);
  expect(parseAnswer(second ?? '').body).toMatchObject({ code: 'malformed_request' });
});

/** An answer as it came over the wire. */
function parseAnswer(received: string) {
  const [head = '', content = ''] = received.split('\r\n\r\n');
  const [statusLine = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => field.split(': ', 2) as [string, string]);
  const response = new Response(null, { status: Number(statusLine.split(' ')[1]), headers });
  return { response, status: response.status, body: JSON.parse(content) };
}

test('a taken port is an error with its code', async () => {
  const app: App = async () => plainAnswer('x');
  const server = await serve(app);
  const port = Number(new URL(server.origin).port);
  await expect(listen(app, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await expect(listen(app, { host: '203.0.113.7', port: 0 })).rejects.toMatchObject({
    code: 'EADDRNOTAVAIL',
  });
});

test('a client that ends its side of the connection gets the answers to what it has sent', async () => {
  const { app, arrived, release } = waitingApp();
  const server = await serve(async (request) =>
    request.path === '/other' ? plainAnswer('other') : app(request),
  );
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  socket.end('GET /one HTTP/1.1\r\nHost: x\r\n\r\nGET /two HTTP/1.1\r\nHost: x\r\n\r\n');
  const received = text(socket);
  await arrived;
  // The service has seen the end by then.
  expect(await text(await get(`${server.origin}/other`))).toBe('other');
  release();

  expect((await received).match(/done/g)).toHaveLength(2);
});

test('closing answers a request on a connection that the service has not accepted yet', async () => {
  const server = await serve(async () => plainAnswer('x'));
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  // The system sets the connection up in this turn of the event loop, in which the service accepts nothing.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const closed = server.close();
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200/);
  await closed;
});

test('closing lets a running request finish, and takes no new one', async () => {
  const { app, arrived, release } = waitingApp();
  const server = await serve(app);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const running = get(server.origin, agent);
  await arrived;

  let isClosed = false;
  const closed = server.close().then(() => {
    isClosed = true;
  });
  await expect.poll(() => connecting(server.origin)).toBe('ECONNREFUSED');
  expect(isClosed).toBe(false);
  release();
  expect(await text(await running)).toBe('done');
  await closed;
  await server.close();
});

test('closing answers a request that has arrived however long it runs, and waits for no other', async () => {
  const { app, arrived, release } = waitingApp();
  const readingApp: App = (request) =>
    request.method === 'GET' ? app(request) : request.readBody(100).then(() => plainAnswer('read'));
  const server = await serve(readingApp);
  const running = get(server.origin);
  await arrived;
  const half = connect(Number(new URL(server.origin).port), '127.0.0.1');
  half.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
  // Until the service has read what was sent.
  await exchange(server.origin, 'GET /x HTTP/1.1\r\nConnection: close\r\n\r\n');

  const closed = server.close({ graceMs: 0 });
  expect(await text(half)).toBe('');
  release();
  const response = await running;
  expect(response.headers.connection).toBe('close');
  expect(await text(response)).toBe('done');
  await closed;
});

test('a client that does not read its answer loses its connection', async () => {
  const app: App = async () => plainAnswer('x'.repeat(100_000_000));
  const server = await serve(app, { receiveMs: 200 });
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'readable');
  const closed = once(socket, 'close');
  // It ends when all connections have.
  await server.close({ graceMs: 1_000_000 });
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(100_000_000);
});

test('closing does not wait for idle connections', async () => {
  const server = await serve(async () => plainAnswer('x'));
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  expect(await text(await get(server.origin, agent))).toBe('x');
  const silent = connect(Number(new URL(server.origin).port), '127.0.0.1');
  await once(silent, 'connect');
  await server.close();
  silent.destroy();
});

test('what has stopped leaves no timer that keeps the process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const server = await serve(async () => plainAnswer('done'));
  const before = timers();
  await server.close({ idleMs: 600_000, graceMs: 600_000 });
  // Timers of earlier tests may have ended meanwhile.
  expect(timers()).toBeLessThanOrEqual(before);
});

test.each(['%73k_live_abc', 's%6B%5flive_abc', '%2573k_live_abc'])(
  'a 404 is logged without the key %s',
  async (key) => {
    const { server, lines } = await serveStore();
    const request = `GET /nothing/${key} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect(await exchange(server.origin, request)).toMatch(/404/);
    expect(lines).toMatchObject([{ status: 404, path: '/nothing/sk_***' }]);
  },
);

test('a 404 is logged with its path, which acts on no terminal and has no key', async () => {
  const { server, lines, service } = await serveStore();
  const { port } = new URL(server.origin);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    `GET /nothing%1b%5b8m/sk_live_abc?secret=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    'latin1',
  );
  expect(await text(socket)).toContain('404');
  expect(lines).toMatchObject([{ status: 404, code: 'not_found', path: '/nothing%1b%5b8m/sk_***' }]);
  await service.send('GET', '/v1/stores/other/operations/settings');
  expect(lines.at(-1)).toMatchObject({ status: 404, path: '/v1/stores/other/operations/settings' });
  await service.call('settings.show', '');
  expect(lines.at(-1)).not.toHaveProperty('path');
});
