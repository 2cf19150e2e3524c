import { once } from 'node:events';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { startConnectProxy } from '../helpers/connect-proxy.ts';
import { createSelfSigned } from '../helpers/private-ca.ts';
import { clientFor } from './support.ts';

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

const request = { method: 'POST', path: '/v1/x', body: '{}', class: 'keyed' } as const;

test('an untrusted certificate: one connection, no request, not sent', async () => {
  const requests: string[] = [];
  using server = await listen(
    createServer(testCertificate, ({ url = '' }, response) => {
      requests.push(url);
      response.end('{}');
    }),
  );
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
])(
  'http:// to a TLS server that $name: $kind, and the message says so',
  async ({ alert, kind, attempts }) => {
    using server = await listen(
      createTcpServer((socket) => socket.once('data', () => socket.end(alert, 'latin1'))),
    );
    await using client = clientFor(`http://127.0.0.1:${server.port}`);

    const outcome = await client.send({ ...request, class: 'one-shot' }, {});

    expect(outcome).toMatchObject({ kind, attempts });
    expect(outcome).toHaveProperty('failure.message', expect.stringContaining('https://'));
  },
);

test.each([
  [
    'refuses',
    'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
    'HTTP 407: it needs a user name and password, or those in its URL are wrong',
  ],
  ['answers nonsense', 'nonsense\r\n\r\n', 'HPE_INVALID_CONSTANT'],
  ['hangs up', '', 'ECONNRESET'],
])('a proxy that %s: not sent', async (_name, refusal, reason) => {
  const proxy = await startConnectProxy({}, refusal);
  const { host } = new URL(proxy.url);
  const env = { HTTPS_PROXY: `http://user:p%40ss@${host}` };
  await using client = clientFor('https://other.example.test', { env });

  const outcome = await client.send(request, {});

  expect(outcome).toMatchObject({
    kind: 'not_sent',
    attempts: 4,
    failure: { code: 'proxy_failed', message: `the proxy ${host} refused to connect (${reason})` },
  });
  expect(proxy.tunnels[0]).toBe('other.example.test:443');
  expect(proxy.authorizations[0]).toBe(`Basic ${btoa('user:p@ss')}`);
});

test('a proxy that is not there: not sent', async () => {
  using proxy = await listen(createProxy());
  proxy[Symbol.dispose]();
  await using client = clientFor('https://store.example.test', {
    env: { https_proxy: `127.0.0.1:${proxy.port}` },
  });

  expect(await client.send(request, {})).toMatchObject({
    kind: 'not_sent',
    failure: { code: 'proxy_failed' },
  });
});
