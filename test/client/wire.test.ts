import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Exchange } from '../../src/client/exchange.ts';
import { createBackup } from '../../src/contract/operations/backups.ts';
import { showDispute } from '../../src/contract/operations/disputes.ts';
import { showSettings } from '../../src/contract/operations/settings.ts';
import { updateStore } from '../../src/contract/operations/store.ts';
import { answer, startFaultServer } from '../helpers/fault-server.ts';
import { gate } from '../helpers/gate.ts';
import { serve } from '../helpers/raw-server.ts';
import { apiKey, clientFor } from './support.ts';

const read = { method: 'GET', path: '/v1/x', body: null, class: 'read' } as const;
const parameters = { storeId: 's1' };

test('a write has these headers and these bytes, and nothing else', async () => {
  await using server = await startFaultServer([answer(201, {})]);
  await using client = clientFor(`${server.url}/api/`);
  const body = '{"label": "näch­tlich 😀",\n "sections":["store"]}';

  await client.call(createBackup, { parameters, body });

  const [request] = server.requests;
  expect(request).toMatchObject({ method: 'POST', path: '/api/v1/stores/s1/operations/backups', body });
  expect(request?.headers).toEqual({
    host: `127.0.0.1:${server.port}`,
    connection: 'keep-alive',
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'user-agent': 'storectl/1.2.3',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
});

test('a read has no body and no content type', async () => {
  await using server = await startFaultServer([answer(200, {})]);
  await using client = clientFor(server.url);

  await client.call(showSettings, { parameters, body: null });

  expect(server.requests[0]).toMatchObject({
    method: 'GET',
    path: '/v1/stores/s1/operations/settings',
    body: '',
  });
  expect(server.requests[0]?.headerNames).toEqual([
    'host',
    'connection',
    'authorization',
    'accept',
    'user-agent',
  ]);
});

test('If-Match goes out where it is given, and the entity tag comes back', async () => {
  await using server = await startFaultServer([answer(200, {}, { etag: '"v2"', 'x-request-id': 'r-1' })]);
  await using client = clientFor(server.url);

  const outcome = await client.call(updateStore, { parameters, body: '{}', ifMatch: '"v1"' });

  expect(server.requests[0]?.headers['if-match']).toBe('"v1"');
  expect(outcome).toMatchObject({ kind: 'applied', etag: '"v2"', requestId: 'r-1', replayed: false });
});

test('an entity tag that cannot be sent back is ignored', async () => {
  await using server = await startFaultServer([answer(200, {}, { etag: '"v 2"' })]);
  await using client = clientFor(server.url);

  expect(await client.call(updateStore, { parameters, body: '{}' })).toMatchObject({ etag: null });
});

test('a replayed answer says so', async () => {
  await using server = await startFaultServer([answer(201, {}, { 'Idempotency-Replayed': 'true' })]);
  await using client = clientFor(server.url);

  expect(await client.call(createBackup, { parameters, body: '{}' })).toMatchObject({ replayed: true });
});

test.each([
  [{ ...read, path: 'v1/x' }, {}],
  [{ ...read, path: '/v1/a b' }, {}],
  [{ ...read, path: '/v1/x\r\nx-evil: 1' }, {}],
  [{ ...read, path: '/v1/x#y' }, {}],
  [{ ...read, method: 'CONNECT' }, {}],
  [{ ...read, method: 'get' }, {}],
  [read, { ifMatch: '"a"\r\nx-evil: 1' }],
])('a request that is no HTTP is not sent: %j %j', async (request, input) => {
  await using server = await startFaultServer([answer(200, {})]);
  await using client = clientFor(server.url);

  await expect(client.send(request, input)).rejects.toThrow(RangeError);
  expect(server.connections).toBe(0);
});

test('a redirect is not followed, and the key goes to no other host', async () => {
  await using other = await startFaultServer([answer(200, {})]);
  await using server = await startFaultServer([answer(307, '', { location: `${other.url}/v1/x` })]);
  await using client = clientFor(server.url);

  const outcome = await client.send(read, {});

  expect(outcome).toMatchObject({
    kind: 'rejected',
    status: 307,
    problem: {
      message: `HTTP 307: redirects to ${other.url}/v1/x, and redirects are not followed`,
    },
  });
  expect(other.connections).toBe(0);
});

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['identity', (bytes: Buffer) => bytes],
  ['deflate, gzip', (bytes: Buffer) => gzipSync(deflateSync(bytes))],
])('a body sent as %s is read', async (coding, encode) => {
  const body = encode(Buffer.from('{"a":"ü"}'));
  await using server = await startFaultServer([answer(200, body, { 'content-encoding': coding })]);
  await using client = clientFor(server.url);

  expect(await client.send(read, {})).toMatchObject({ kind: 'applied', body: { a: 'ü' } });
});

const limit = 8 * 1024 * 1024;

test('8 MiB is read, and one byte more is not', async () => {
  const fits = `"${'x'.repeat(limit - 2)}"`;
  await using server = await startFaultServer([answer(200, fits), answer(200, `${fits} `)]);
  await using client = clientFor(server.url);
  const request = { ...read, class: 'one-shot' } as const;

  expect(await client.send(request, {})).toMatchObject({ kind: 'applied' });
  expect(await client.send(request, {})).toMatchObject({
    kind: 'unknown',
    status: 200,
    failure: { code: 'body_too_large' },
  });
});

test.each([
  ['gzip', (bytes: Buffer) => gzipSync(bytes, { level: 1 })],
  ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
])('a %s bomb is not unpacked', async (coding, encode) => {
  const bomb = encode(Buffer.alloc(100 * 1024 * 1024, ' '));
  await using server = await startFaultServer([answer(200, bomb, { 'content-encoding': coding })]);
  await using client = clientFor(server.url);

  const outcome = await client.send({ ...read, class: 'one-shot' }, {});

  expect(outcome).toMatchObject({ kind: 'unknown', failure: { code: 'body_too_large' } });
});

test('an error page without end does not hide the status', async () => {
  await using server = await startFaultServer([answer(403, `<title>Blocked</title>${'x'.repeat(limit)}`)]);
  await using client = clientFor(server.url);

  expect(await client.send(read, {})).toMatchObject({ kind: 'rejected', status: 403 });
});

test('the key is in no exchange and in no outcome, even where the service repeats it', async () => {
  const echo = { message: `bad key ${apiKey}`, authorization: `Bearer ${apiKey}` };
  const headers = { 'x-echo': apiKey, etag: `"${apiKey}"`, 'x-request-id': apiKey };
  await using server = await startFaultServer([answer(503, echo, headers), answer(200, echo, headers)]);
  const exchanges: Exchange[] = [];
  const reasons: string[] = [];
  await using client = clientFor(server.url, {
    onExchange: (exchange) => exchanges.push(exchange),
    onRetry: ({ reason }) => reasons.push(reason),
  });
  const request = {
    method: 'POST',
    path: `/v1/x?key=${apiKey}`,
    body: JSON.stringify(apiKey),
    class: 'keyed',
  } as const;

  const outcome = await client.send(request, {});

  expect(exchanges.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 503],
    [2, 200],
  ]);
  expect(exchanges[0]?.requestHeaders.authorization).toBe('Bearer [redacted]');
  expect(JSON.stringify([exchanges, reasons, outcome])).not.toContain(apiKey);
  expect(server.requests[1]).toMatchObject({ path: request.path, body: request.body });
});

test('an exchange holds what was sent and what was received', async () => {
  await using server = await startFaultServer([
    { does: 'drop' },
    answer(404, { message: 'no' }, { 'X-Thing': '1' }),
  ]);
  const exchanges: Exchange[] = [];
  await using client = clientFor(server.url, { onExchange: (exchange) => exchanges.push(exchange) });

  await client.send({ method: 'PUT', path: '/v1/x', body: '{"a":1}', class: 'repeatable' }, {});

  expect(exchanges).toMatchObject([
    {
      attempt: 1,
      method: 'PUT',
      status: null,
      responseHeaders: null,
      responseBody: null,
      failure: { code: 'connection_lost' },
    },
    {
      attempt: 2,
      url: `${server.url}/v1/x`,
      requestHeaders: { accept: 'application/json', 'content-type': 'application/json' },
      requestBody: '{"a":1}',
      status: 404,
      responseHeaders: { 'content-type': 'application/json', 'x-thing': '1' },
      responseBody: '{"message":"no"}',
      failure: null,
    },
  ]);
  expect(exchanges[1]?.durationMs).toBeGreaterThan(0);
});

test.each([
  [
    { name: 7, settings: { cashbackBp: '250' }, extra: 1 },
    ['name must be text (got 7)', 'settings.cashbackBp must be a number (got text)'],
  ],
  [{ name: null, unknownField: true }, []],
  [['a list'], ['body must be an object (got a list)']],
  ['text', ['body must be an object (got text)']],
])('drift of %j', async (body, drift) => {
  await using server = await startFaultServer([answer(200, JSON.stringify(body))]);
  await using client = clientFor(server.url);

  const outcome = await client.call(updateStore, { parameters, body: '{}' });

  expect(outcome).toMatchObject({ kind: 'applied', body, drift });
});

test('an answer that is nested deeper than the stack is still an answer', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  await using server = await startFaultServer([answer(200, `{"record":{"riskSignals":{"a":${deep}}}}`)]);
  await using client = clientFor(server.url);

  const outcome = await client.call(showDispute, {
    parameters: { storeId: 's', disputeId: 'd' },
    body: null,
  });

  expect(outcome).toMatchObject({ kind: 'applied', drift: [] });
});

test('calls at the same time do not wait for each other', async () => {
  const { opened: until, open } = gate();
  await using server = await startFaultServer([
    { does: 'wait', until, next: answer(200, 'null') },
    answer(200, 'null'),
  ]);
  await using client = clientFor(server.url);

  const slow = client.send(read, {});
  await server.received(1);
  const quick = await client.send(read, {});
  open();

  expect(quick.kind).toBe('applied');
  expect((await slow).kind).toBe('applied');
});

test.each([
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['100 with a header', 'HTTP/1.1 100 Continue\r\nx-from: proxy\r\n\r\n'],
  ['102 and 100', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'],
  ['110, which nobody has assigned', 'HTTP/1.1 110 Whatever\r\n\r\n'],
])('interim answers that were not asked for are skipped: %s', async (_name, interim) => {
  const bytes = `${interim}HTTP/1.1 201 Created\r\ncontent-length: 10\r\n\r\n{"id":"x"}`;
  await using server = await startFaultServer([{ does: 'stall', bytes }]);
  await using client = clientFor(server.url);

  const outcome = await client.send({ method: 'POST', path: '/v1/x', body: '{}', class: 'one-shot' }, {});

  expect(outcome).toMatchObject({ kind: 'applied', status: 201, attempts: 1, body: { id: 'x' } });
});

test('an interim answer may come in pieces, and again on a kept connection', async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
  const pieces = [
    'H',
    'TTP/1.1 1',
    '00 Continue\r',
    '\n\r\nHTTP',
    ...(answer.slice(4).match(/.{1,9}/gs) ?? []),
  ];
  await using server = await serve((socket) => {
    socket.on('data', async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    });
  });
  await using client = clientFor(server.url);

  for (let time = 0; time < 3; time += 1) {
    const outcome = await client.send({ method: 'GET', path: '/v1/x', body: null, class: 'read' }, {});
    expect(outcome).toMatchObject({ kind: 'applied', attempts: 1 });
  }
});
