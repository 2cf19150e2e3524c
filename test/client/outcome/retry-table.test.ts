import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Outcome } from '../../../src/client/outcome/outcome.ts';
import { rowOfStatus, waitBeforeRetryMs } from '../../../src/client/outcome/retry.ts';
import type { OperationClass } from '../../../src/contract/operation.ts';
import { answer, type Behaviour, startFaultServer } from '../../helpers/fault-server.ts';
import { serve } from '../../helpers/raw-server.ts';
import { clientFor, skippingClock } from '../support.ts';

const classes = ['read', 'repeatable', 'keyed', 'one-shot'] as const satisfies readonly OperationClass[];

/** Requests on the wire and how the operation ends, for read, repeatable, keyed and one-shot. */
type Expected = readonly [number, Outcome['kind']][];

const always = (requests: number, kind: Outcome['kind']): Expected => classes.map(() => [requests, kind]);
const unlessOneShot = (kind: Outcome['kind']): Expected => [
  [4, kind],
  [4, kind],
  [4, kind],
  [1, kind],
];
const unreadable: Expected = [
  [4, 'unknown'],
  [1, 'unknown'],
  [2, 'unknown'],
  [1, 'unknown'],
];
const redirected: Expected = [
  [1, 'rejected'],
  [1, 'unknown'],
  [1, 'unknown'],
  [1, 'unknown'],
];
const inProgress: Expected = [
  [1, 'rejected'],
  [1, 'rejected'],
  [4, 'unknown'],
  [1, 'rejected'],
];

const thrice = gzipSync(gzipSync(gzipSync('{}')));

const faults: readonly (readonly [string, Behaviour, Expected])[] = [
  ['reset before the body is read', { does: 'reset' }, unlessOneShot('unknown')],
  ['closed after the request is read', { does: 'drop' }, unlessOneShot('unknown')],
  ['200 and half of its body', { does: 'half', body: '{"id":"x"}' }, unlessOneShot('unknown')],
  ['an answer that is not HTTP', { does: 'raw', bytes: 'SSH-2.0-OpenSSH_9.2\r\n' }, unlessOneShot('unknown')],
  ['half of the status line', { does: 'raw', bytes: 'HTTP/1.1 20' }, unlessOneShot('unknown')],
  ...[425, 429].map((status) => [`${status}`, answer(status), always(4, 'rejected')] as const),
  ...[408, 500, 502, 503, 504, 507, 508, 520, 524, 530, 599].map(
    (status) => [`${status}`, answer(status), unlessOneShot('unknown')] as const,
  ),
  ...[300, 301, 302, 303].map((status) => [`${status}`, answer(status), redirected] as const),
  ...[304, 305, 307, 308, 399].map((status) => [`${status}`, answer(status), always(1, 'rejected')] as const),
  ...[
    400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 418, 421, 422, 423, 424, 426,
    428,
  ].map((status) => [`${status}`, answer(status), always(1, 'rejected')] as const),
  ...[431, 451, 499, 501, 505, 511].map(
    (status) => [`${status}`, answer(status), always(1, 'rejected')] as const,
  ),
  [
    '422 and half of its body',
    { does: 'half', status: 422, body: '{"message":"no"}' },
    always(1, 'rejected'),
  ],
  [
    '503 and half of its body',
    { does: 'half', status: 503, body: '{"message":"no"}' },
    unlessOneShot('unknown'),
  ],
  ['409 with another code', answer(409, { code: 'state_conflict' }), always(1, 'rejected')],
  [
    '409 while another restore is running',
    answer(409, { code: 'restore_in_progress' }),
    always(1, 'rejected'),
  ],
  ['409 in progress by code', answer(409, { code: 'idempotency_in_progress' }), inProgress],
  ['409 in progress by title', answer(409, { title: 'Request still in progress' }), inProgress],
  ['409 in progress inside error', answer(409, { error: { message: 'operation in-progress' } }), inProgress],
  ['200 and a page', answer(200, '<html>Welcome</html>', { 'content-type': 'text/html' }), unreadable],
  ['200 and nothing', answer(200), unreadable],
  ['201 and cut JSON', answer(201, '{"id":'), unreadable],
  ['200 and damaged gzip', answer(200, 'xx', { 'content-encoding': 'gzip' }), unreadable],
  ['200 and an unknown coding', answer(200, 'xx', { 'content-encoding': 'zstd-9' }), unreadable],
  ['200 and three codings', answer(200, thrice, { 'content-encoding': 'gzip, gzip, gzip' }), unreadable],
  ...['000', '099', '600', '999'].map((status) => {
    const bytes = `HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\n{}`;
    return [`${status}`, { does: 'raw', bytes }, unlessOneShot('unknown')] as const;
  }),
  ['200 and more than 8 MiB', answer(200, `"${'x'.repeat(8 * 1024 * 1024)}"`), unreadable],
];

const cases = faults.flatMap(([name, fault, expected]) =>
  classes.map((operationClass, index) => {
    const [requests, kind] = expected[index] ?? [0, 'applied'];
    return { name, fault, operationClass, requests, kind };
  }),
);

test.each(cases)('$name, $operationClass: $requests requests, $kind', async (row) => {
  await using server = await startFaultServer([row.fault]);
  await using client = clientFor(server.url);
  const request = { method: 'POST', path: '/v1/x', body: '{"a": 1}', class: row.operationClass };

  const outcome = await client.send(request, {});

  expect(server.requests).toHaveLength(row.requests);
  expect(outcome).toMatchObject({ kind: row.kind, attempts: row.requests });
});

test.each(cases.filter((row) => row.requests > 1))('$name, $operationClass: recovers', async (row) => {
  await using server = await startFaultServer([row.fault, answer(200, { done: true })]);
  await using client = clientFor(server.url);
  const request = { method: 'POST', path: '/v1/x', body: '{"a":\t1.0}', class: row.operationClass };

  const outcome = await client.send(request, {});

  expect(outcome).toMatchObject({ kind: 'applied', attempts: 2, body: { done: true } });
  expect(server.requests[1]?.body).toBe('{"a":\t1.0}');
});

test.each(classes)('connection refused, %s: tried for a minute, not sent', async (operationClass) => {
  const closed = await startFaultServer([]);
  await closed.close();
  const clock = skippingClock();
  await using client = clientFor(closed.url, { clock, random: () => 0.5 });
  const attempts: number[] = [];
  const startedAt = clock.monotonic();

  const outcome = await client.send(
    { method: 'POST', path: '/v1/x', body: '{}', class: operationClass },
    { beforeAttempt: async (attempt) => void attempts.push(attempt) },
  );

  expect(outcome).toMatchObject({ kind: 'not_sent', failure: { code: 'connection_refused' } });
  expect(outcome.attempts).toBe(attempts.length);
  expect(clock.monotonic() - startedAt).toBeGreaterThanOrEqual(60_000);
  expect(clock.sleeps.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(60_000);
});

test.each(classes)('%s: a service that is back within a minute gets the request', async (operationClass) => {
  const closed = await startFaultServer([]);
  await closed.close();
  const clock = skippingClock();
  await using client = clientFor(closed.url, { clock });
  let server: Awaited<ReturnType<typeof startFaultServer>> | undefined;

  const outcome = await client.send(
    { method: 'POST', path: '/v1/x', body: '{}', class: operationClass },
    {
      beforeAttempt: async (attempt) => {
        if (attempt === 6) server = await startFaultServer([answer(200, {})], { port: closed.port });
      },
    },
  );

  expect(outcome).toMatchObject({ kind: 'applied', attempts: 6 });
  await server?.close();
});

test('connection refused by every address of a name: not sent', async () => {
  const closed = await startFaultServer([]);
  await closed.close();
  await using client = clientFor(`http://localhost:${closed.port}`);

  const outcome = await client.send({ method: 'POST', path: '/v1/x', body: '{}', class: 'one-shot' }, {});

  expect(outcome).toMatchObject({ kind: 'not_sent', failure: { code: 'connection_refused' } });
});

test('name not found: not sent', async () => {
  await using client = clientFor('https://no-such-host.invalid');

  const outcome = await client.send({ method: 'POST', path: '/v1/x', body: '{}', class: 'one-shot' }, {});

  expect(outcome).toMatchObject({ kind: 'not_sent', attempts: 4, failure: { code: 'name_not_found' } });
});

test.each(classes)('TLS handshake cut, %s: four connections, not sent', async (operationClass) => {
  await using server = await serve((socket) => socket.destroy());
  await using client = clientFor(server.url.replace('http:', 'https:'));

  const outcome = await client.send({ method: 'POST', path: '/v1/x', body: '{}', class: operationClass }, {});

  expect(outcome).toMatchObject({ kind: 'not_sent', attempts: 4, failure: { code: 'tls_handshake_failed' } });
  expect(server.sockets).toHaveLength(4);
});

test.each(classes)('429 in a batch, %s: tried until the deadline', async (operationClass) => {
  await using server = await startFaultServer([answer(429)]);
  const clock = skippingClock();
  await using client = clientFor(server.url, { clock });
  const request = { method: 'POST', path: '/v1/x', body: '{}', class: operationClass } as const;

  const outcome = await client.send(request, { inBatch: true });

  expect(outcome).toMatchObject({ kind: 'rejected', status: 429 });
  // 1, 2, 4, 8, 16, 30, 30, 30 and 30 s; the next 30 s would pass 180 s.
  expect(clock.sleeps.map((ms) => Math.round(ms / 1000))).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30]);
  expect(server.requests).toHaveLength(10);
});

test('every status from 300 to 599 has the row of the table, assigned or not', () => {
  const statuses = Array.from({ length: 300 }, (_, index) => index + 300);
  const of = (row: string) => statuses.filter((status) => rowOfStatus(status) === row);
  const definite = [501, 505, 511];

  expect(of('redirected')).toEqual([300, 301, 302, 303]);
  expect(of('throttled')).toEqual([425, 429]);
  expect(of('unavailable')).toEqual([
    408,
    ...statuses.filter((status) => status >= 500 && !definite.includes(status)),
  ]);
  expect(of('refused')).toHaveLength(300 - 4 - 2 - 98);
});

test('the wait grows with attempts alike: a service that has started again is not waited for as while it was down', () => {
  const at = { startedAt: 0 };
  const refused = { ...at, row: 'unreachable', failure: { code: 'connection_refused' } } as const;
  const failed = { ...at, row: 'unavailable', failure: { code: 'server_error' } } as const;
  const longest = (...attempts: Parameters<typeof waitBeforeRetryMs>[0]) => waitBeforeRetryMs(attempts, 1, 0);

  expect(longest(refused, refused, refused)).toBe(2_000);
  expect(longest(refused, refused, refused, failed)).toBe(500);
  expect(longest(refused, refused, refused, failed, failed)).toBe(1_000);
  expect(longest(failed, failed, refused)).toBe(500);
  const many = Array.from({ length: 12 }, () => refused);
  expect(longest(...many)).toBe(20_000);
  // The last one is made when the minute is over.
  expect(waitBeforeRetryMs(many, 1, 55_000)).toBe(5_000);
});
