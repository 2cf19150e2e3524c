import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSelfSigned } from '../helpers/private-ca.ts';
import { apiKey, clientFor } from './support.ts';

const testCertificate = await createSelfSigned('store.example.test');

async function listen<S extends Server>(server: S) {
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections, [Symbol.dispose]: () => void server.close() };
}

function startTlsServer(requests: string[] = []) {
  const server = createServer(testCertificate, (request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    // A client that kept its connection for so long would keep its process as long.
    response.setHeader('keep-alive', 'timeout=120');
    response.end('{"ok":true}');
  });
  return listen(server);
}

/** A proxy that knows store.example.test as `port` on this machine, and answers others with `refusal`. */
function startProxy(
  port: number,
  asked: string[],
  refusal = 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
) {
  const server = createProxy();
  server.on('connect', (request, client) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
    client.on('error', () => {});
    if (!request.url?.startsWith('store.example.test:')) return client.end(refusal);
    const service = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      service.pipe(client);
      client.pipe(service);
    });
    service.on('error', () => client.destroy());
  });
  return listen(server);
}

const request = { method: 'POST', path: '/v1/x', body: '{}', class: 'keyed' } as const;

test('an untrusted certificate: one connection, no request, not sent', async () => {
  const requests: string[] = [];
  using server = await startTlsServer(requests);
  await using client = clientFor(`https://127.0.0.1:${server.port}`);

  const outcome = await client.send(request, {});

  expect(outcome).toMatchObject({
    kind: 'not_sent',
    attempts: 1,
    failure: { code: 'certificate_untrusted' },
  });
  expect(outcome).toHaveProperty('failure.message', expect.stringContaining('NODE_EXTRA_CA_CERTS'));
  expect(server.connections()).toBe(1);
  expect(requests).toEqual([]);
});

test('a server that speaks no TLS: not sent', async () => {
  using server = await listen(createProxy((_request, response) => response.end('{}')));
  await using client = clientFor(`https://127.0.0.1:${server.port}`);

  expect(await client.send(request, {})).toMatchObject({
    kind: 'not_sent',
    attempts: 4,
    failure: {
      code: 'tls_handshake_failed',
      message: expect.stringMatching(/does not speak TLS.*try http:\/\//),
    },
  });
});

test.each([
  { name: 'says that this is no TLS', alert: '\x15\x03\x03\0\x02\x02\x32', kind: 'not_sent', attempts: 4 },
  // So does a service that dies, which may have done what it was asked.
  { name: 'closes the connection', alert: '', kind: 'unknown', attempts: 1 },
])('http:// to a TLS server that $name: $kind, and told', async ({ alert, kind, attempts }) => {
  using server = await listen(
    createTcpServer((socket) => socket.once('data', () => socket.end(alert, 'latin1'))),
  );
  await using client = clientFor(`http://127.0.0.1:${server.port}`);

  const outcome = await client.send({ ...request, class: 'one-shot' }, {});

  expect(outcome).toMatchObject({ kind, attempts });
  expect(outcome).toHaveProperty('failure.message', expect.stringContaining('https://'));
});

test('http:// to the TLS server of Node, which closes the connection: nothing is taken for certain', async () => {
  const requests: string[] = [];
  using server = await startTlsServer(requests);
  await using client = clientFor(`http://127.0.0.1:${server.port}`);

  const outcome = await client.send({ ...request, class: 'one-shot' }, {});

  expect(outcome).toMatchObject({ kind: 'unknown', failure: { code: 'connection_lost' } });
  expect(outcome).toHaveProperty('failure.message', expect.stringContaining('https://'));
  expect(requests).toEqual([]);
});

test('the certificate is checked behind a proxy too', async () => {
  const asked: string[] = [];
  using server = await startTlsServer();
  using proxy = await startProxy(server.port, asked);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  await using client = clientFor('https://store.example.test:8443', { env });

  const outcome = await client.send(request, {});

  expect(outcome).toMatchObject({
    kind: 'not_sent',
    attempts: 1,
    failure: { code: 'certificate_untrusted' },
  });
  expect(asked).toEqual(['store.example.test:8443 ']);
});

test.each([
  ['refuses', undefined, 'HTTP 407: it needs a user name and password, or those in its URL are wrong'],
  ['answers nonsense', 'nonsense\r\n\r\n', 'HPE_INVALID_CONSTANT'],
  ['hangs up', '', 'ECONNRESET'],
])('a proxy that %s: not sent', async (_name, refusal, reason) => {
  const asked: string[] = [];
  using proxy = await startProxy(0, asked, refusal);
  const env = { HTTPS_PROXY: `http://user:p%40ss@127.0.0.1:${proxy.port}` };
  await using client = clientFor('https://other.example.test', { env });

  const outcome = await client.send(request, {});

  expect(outcome).toMatchObject({
    kind: 'not_sent',
    attempts: 4,
    failure: {
      code: 'proxy_failed',
      message: `the proxy 127.0.0.1:${proxy.port} refused to connect (${reason})`,
    },
  });
  expect(asked[0]).toBe(`other.example.test:443 Basic ${btoa('user:p@ss')}`);
});

test('a proxy that is not there: not sent', async () => {
  const proxy = await startProxy(0, []);
  proxy[Symbol.dispose]();
  await using client = clientFor('https://store.example.test', {
    env: { https_proxy: `127.0.0.1:${proxy.port}` },
  });

  expect(await client.send(request, {})).toMatchObject({
    kind: 'not_sent',
    failure: { code: 'proxy_failed' },
  });
});

/** Which authorities are trusted is settled when a process starts, so these calls need one of their own. */
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'client-'));
  const build = await rolldown({ input: 'src/client/client.ts', platform: 'node', logLevel: 'silent' });
  await build.write({ dir: folder, format: 'cjs' });
  await build.close();
  await writeFile(path.join(folder, 'ca.pem'), testCertificate.cert);
  await writeFile(
    path.join(folder, 'call.cjs'),
    `const { createClient } = require('./client.js');
     const [baseUrl, apiKey] = process.argv.slice(2);
     const client = createClient({ baseUrl, apiKey, userAgent: 'test', env: process.env, random: () => 0 });
     client.send({ method: 'GET', path: '/v1/x', body: null, class: 'read' }, { timeoutMs: 3_000 })
       .then((outcome) => console.log(JSON.stringify(outcome)));`,
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Performs a call from the bundle in a process that trusts the test certificate and ends when nothing is left to do. */
async function callInProcess(baseUrl: string, env: Record<string, string> = {}) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [path.join(folder, 'call.cjs'), baseUrl, apiKey],
    { env: { NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem'), ...env }, timeout: 120_000 },
  );
  return JSON.parse(stdout);
}

test('a trusted service behind a proxy is reached, and an idle connection keeps no process', async () => {
  const requests: string[] = [];
  const asked: string[] = [];
  using server = await startTlsServer(requests);
  using proxy = await startProxy(server.port, asked);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };

  const outcome = await callInProcess('https://store.example.test', env);

  expect(outcome).toMatchObject({ kind: 'applied', body: { ok: true } });
  expect(asked).toEqual(['store.example.test:443 ']);
  expect(requests).toEqual([`GET /v1/x Bearer ${apiKey}`]);
});

test('a trusted certificate for another name is refused', async () => {
  using server = await startTlsServer();

  expect(await callInProcess(`https://127.0.0.1:${server.port}`)).toMatchObject({
    kind: 'not_sent',
    attempts: 1,
    failure: {
      code: 'certificate_untrusted',
      message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
    },
  });
});

test('loopback and NO_PROXY go past the proxy', async () => {
  const asked: string[] = [];
  using proxy = await startProxy(0, asked);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'example.test' };

  await callInProcess('https://127.0.0.1:1', env);
  const outcome = await callInProcess('https://store.example.test', env);

  expect(outcome).toMatchObject({ kind: 'not_sent', failure: { code: 'name_not_found' } });
  expect(asked).toEqual([]);
});
