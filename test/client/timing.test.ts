import { expect, test } from 'vitest';
import { systemClock } from '../../src/client/clock.ts';
import { parseRetryAfter } from '../../src/client/outcome/retry.ts';
import { createTransport } from '../../src/client/wire/transport.ts';
import type { OperationClass } from '../../src/contract/operation.ts';
import { answer, type Behaviour, startFaultServer } from '../helpers/fault-server.ts';
import { gate } from '../helpers/gate.ts';
import { serve } from '../helpers/raw-server.ts';
import { clientFor, skippingClock } from './support.ts';

const request = (operationClass: OperationClass) =>
  ({ method: 'POST', path: '/v1/x', body: '{}', class: operationClass }) as const;

const hang: Behaviour = { does: 'hang' };

/** Long enough that the request is with the server by then, on a busy machine too. */
const answerTimeoutMs = 2_000;

/** A connection is accepted, and then nothing ever happens on it. */
async function startSilentServer() {
  const server = await serve(() => {});
  return { ...server, url: server.url.replace('http:', 'https:') };
}

test('backs off with full jitter, from half a second and doubling', async () => {
  await using server = await startFaultServer([answer(503)]);
  const clock = skippingClock();
  const retries: unknown[] = [];
  await using client = clientFor(server.url, {
    clock,
    random: () => 0.5,
    onRetry: (info) => retries.push(info),
  });

  await client.send(request('keyed'), {});

  expect(clock.sleeps).toEqual([250, 500, 1000]);
  const why = { forMs: null, status: 503, reason: 'the service returned HTTP 503 Service Unavailable' };
  expect(retries).toEqual([
    { attempt: 1, delayMs: 250, ...why },
    { attempt: 2, delayMs: 500, ...why },
    { attempt: 3, delayMs: 1000, ...why },
  ]);
});

test('Retry-After is a floor: the second request comes no earlier', async () => {
  await using server = await startFaultServer([answer(429, {}, { 'retry-after': '1' }), answer(200, {})]);
  await using client = clientFor(server.url, { clock: systemClock });

  const outcome = await client.send(request('keyed'), {});

  const [first, second] = server.requests;
  expect(outcome).toMatchObject({ kind: 'applied', attempts: 2 });
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1000);
});

test('Retry-After does not shorten the backoff', async () => {
  await using server = await startFaultServer([answer(503, {}, { 'retry-after': '0.1' }), answer(200, {})]);
  const clock = skippingClock();
  await using client = clientFor(server.url, { clock, random: () => 0.9 });

  await client.send(request('keyed'), {});

  expect(clock.sleeps).toEqual([450]);
});

test.each(['read', 'keyed', 'one-shot'] as const)(
  'a Retry-After beyond the deadline ends %s at once',
  async (operationClass) => {
    await using server = await startFaultServer([answer(429, {}, { 'retry-after': '60' })]);
    const clock = skippingClock();
    await using client = clientFor(server.url, { clock });

    const outcome = await client.send(request(operationClass), { timeoutMs: 30_000 });

    expect(outcome).toMatchObject({ kind: 'rejected', attempts: 1, status: 429 });
    expect(outcome).toHaveProperty('retryAt', expect.closeTo(Date.now() + 60_000, -5));
    expect(clock.sleeps).toEqual([]);
    expect(server.requests).toHaveLength(1);
  },
);

test('a backoff beyond the deadline ends the call at once', async () => {
  await using server = await startFaultServer([answer(503)]);
  const clock = skippingClock();
  await using client = clientFor(server.url, { clock, random: () => 0.9 });

  const outcome = await client.send(request('read'), { timeoutMs: 400 });

  expect(outcome).toMatchObject({ kind: 'unknown', attempts: 1, failure: { code: 'server_error' } });
  expect(clock.sleeps).toEqual([]);
});

test.each(['read', 'keyed', 'one-shot'] as const)(
  'no answer until the deadline: %s is unknown',
  async (operationClass) => {
    await using server = await startFaultServer([hang]);
    await using client = clientFor(server.url);

    const outcome = await client.send(request(operationClass), { timeoutMs: answerTimeoutMs });

    expect(outcome).toMatchObject({ kind: 'unknown', attempts: 1, failure: { code: 'timeout' } });
    expect(server.requests).toHaveLength(1);
  },
);

test('an answer that stops in the middle is a timeout', async () => {
  const bytes = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"a"';
  await using server = await startFaultServer([{ does: 'stall', bytes }]);
  await using client = clientFor(server.url);

  const outcome = await client.send(request('keyed'), { timeoutMs: answerTimeoutMs });

  expect(outcome).toMatchObject({ kind: 'unknown', status: 200, failure: { code: 'timeout' } });
});

test('no connection until the deadline: not sent', async () => {
  await using server = await startSilentServer();
  await using client = clientFor(server.url);

  const outcome = await client.send(request('one-shot'), { timeoutMs: 120 });

  expect(outcome).toMatchObject({ kind: 'not_sent', attempts: 1, failure: { code: 'timeout' } });
});

test('opening a connection has its own timeout', async () => {
  await using server = await startSilentServer();

  const got = await createTransport(new URL(server.url), null, 80).exchange({
    method: 'GET',
    path: '/',
    headers: {},
    body: null,
    connection: 'own',
    timeoutMs: 20_000,
    signal: undefined,
  });

  expect(got).toMatchObject({ sent: false, status: null, failure: { code: 'connect_timeout' } });
});

test.each([-3_600_000, 3_600_000])(
  'a wall clock that jumps by %i ms moves no deadline and no wait',
  async (jump) => {
    await using server = await startFaultServer([answer(503, {}, { 'retry-after': '4' })]);
    const clock = skippingClock();
    let jumped = 0;
    const now = () => clock.now() + jumped;
    const sleep = async (ms: number) => {
      jumped = jump;
      await clock.sleep(ms);
    };
    await using client = clientFor(server.url, { clock: { ...clock, now, sleep } });

    const outcome = await client.send(request('keyed'), { timeoutMs: 10_000 });

    expect(outcome).toMatchObject({ kind: 'unknown', attempts: 3, status: 503 });
    expect(clock.sleeps.map((ms) => Math.round(ms / 100) * 100)).toEqual([4000, 4000]);
  },
);

test('one 429 pauses every request of the client, and those that follow come more slowly', async () => {
  await using server = await startFaultServer([answer(429, {}, { 'retry-after': '2' }), answer(200, {})]);
  const { sleeps, sleep, now } = skippingClock();
  // Time that the requests themselves take would count against the second wait.
  const monotonic = () => sleeps.reduce((sum, ms) => sum + ms, 0);
  await using client = clientFor(server.url, { clock: { now, monotonic, sleep } });
  await client.send(request('one-shot'), {});
  expect(sleeps).toEqual([2000]);

  await client.send(request('one-shot'), {});

  expect(sleeps).toEqual([2000, 100]);
});

test('a request that was about to leave when another got a 429 waits too', async () => {
  await using server = await startFaultServer([answer(429, {}, { 'retry-after': '30' }), answer(200, {})]);
  const clock = skippingClock();
  await using client = clientFor(server.url, { clock });
  const { opened, open } = gate();
  // Past the throttle, and still writing its record.
  const second = client.send(request('one-shot'), { beforeAttempt: () => opened });

  await client.send(request('one-shot'), { timeoutMs: 1_000 });
  open();

  expect(await second).toMatchObject({ kind: 'applied', attempts: 1 });
  expect(clock.sleeps).toHaveLength(1);
  expect(clock.sleeps[0]).toBeGreaterThan(29_000);
  expect(server.requests).toHaveLength(2);
});

test('the wait that an earlier answer asked for is kept', async () => {
  await using server = await startFaultServer([answer(200, {})]);
  const clock = skippingClock();
  await using client = clientFor(server.url, { clock });

  client.pause(5_000);
  expect(await client.send(request('keyed'), {})).toMatchObject({ kind: 'applied' });
  expect(clock.sleeps).toEqual([expect.closeTo(5000, -1)]);
  client.pause(60_000);
  const late = await client.send(request('keyed'), { timeoutMs: 30_000 });
  expect(late).toMatchObject({ kind: 'not_sent', attempts: 0, failure: { code: 'throttled' } });
  expect(late).toHaveProperty('retryAt', expect.closeTo(clock.now() + 60_000, -3));
  expect(server.requests).toHaveLength(1);
});

test('time spent before the first attempt counts', async () => {
  await using server = await startFaultServer([answer(200, {})]);
  const clock = skippingClock();
  await using client = clientFor(server.url, { clock });

  const outcome = await client.send(request('keyed'), {
    timeoutMs: 1000,
    beforeAttempt: () => clock.sleep(2000),
  });

  expect(outcome).toMatchObject({ kind: 'not_sent', attempts: 0, failure: { code: 'timeout' } });
  expect(server.connections).toBe(0);
});

test('cancelled before the start: nothing is sent', async () => {
  await using server = await startFaultServer([answer(200, {})]);
  await using client = clientFor(server.url);

  const outcome = await client.send(request('keyed'), { signal: AbortSignal.abort() });

  expect(outcome).toMatchObject({ kind: 'not_sent', attempts: 0, failure: { code: 'cancelled' } });
  expect(server.connections).toBe(0);
});

test('cancelled while connecting: nothing was sent', async () => {
  await using server = await startSilentServer();
  await using client = clientFor(server.url);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 60);

  const outcome = await client.send(request('keyed'), { signal: controller.signal });

  expect(outcome).toMatchObject({ kind: 'not_sent', failure: { code: 'cancelled' } });
});

test('cancelled while waiting for the answer: unknown', async () => {
  await using server = await startFaultServer([hang]);
  await using client = clientFor(server.url);
  const controller = new AbortController();
  void server.received(1).then(() => controller.abort());

  const outcome = await client.send(request('keyed'), { signal: controller.signal });

  expect(outcome).toMatchObject({ kind: 'unknown', attempts: 1, failure: { code: 'cancelled' } });
});

test.each([
  [
    answer(429, { code: 'slow_down' }, { 'retry-after': '20' }),
    { kind: 'rejected', problem: { code: 'slow_down' } },
  ],
  [answer(503), { kind: 'unknown', status: 503, failure: { code: 'cancelled' } }],
  [{ does: 'drop' }, { kind: 'unknown', failure: { code: 'cancelled' } }],
] as const)('cancelled between attempts, after %j', async (behaviour, expected) => {
  await using server = await startFaultServer([behaviour]);
  const controller = new AbortController();
  await using client = clientFor(server.url, {
    clock: systemClock,
    random: () => 0.99,
    onRetry: () => void setImmediate(() => controller.abort()),
  });

  const outcome = await client.send(request('keyed'), { signal: controller.signal });

  expect(outcome).toMatchObject({ ...expected, attempts: 1 });
  expect(server.requests).toHaveLength(1);
});

test('a success that came before the cancellation stays a success', async () => {
  await using server = await startFaultServer([answer(200, { done: true })]);
  const controller = new AbortController();
  await using client = clientFor(server.url, { onExchange: () => controller.abort() });

  expect(await client.send(request('keyed'), { signal: controller.signal })).toMatchObject({
    kind: 'applied',
  });
});

const now = Date.UTC(2026, 0, 31, 12, 0, 0);

test.each([
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': ' 1.5 ' }, 1500],
  [{ 'retry-after': '0.0001' }, 1],
  [{ 'retry-after': 'Sat, 31 Jan 2026 12:00:10 GMT' }, 10_000],
  [{ 'retry-after': 'Saturday, 31-Jan-26 12:00:10 GMT' }, 10_000],
  [{ 'retry-after': 'Sat Jan 31 12:00:10 2026' }, 10_000],
  [{ 'retry-after': 'Sat, 31 Jan 2026 11:00:00 GMT' }, 0],
  // The server's clock is an hour ahead, and it wants five seconds.
  [{ 'retry-after': 'Sat, 31 Jan 2026 13:00:05 GMT', date: 'Sat, 31 Jan 2026 13:00:00 GMT' }, 5000],
])('Retry-After %j is %i ms', (headers, ms) => {
  expect(parseRetryAfter(headers as Record<string, string>, now)).toBe(ms);
});

test.each(['', '-1', '1e3', 'soon', '2026-01-31T12:00:10Z', '5 minutes', 'Sat, 99 Foo 2026'])(
  'Retry-After %j means nothing',
  (value) => {
    expect(parseRetryAfter({ 'retry-after': value }, now)).toBeNull();
  },
);

test.each([
  '99999999999999999999',
  '9'.repeat(400),
  '31536001',
  '31536000.5',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'Sun, 31 Jan 2027 12:00:01 GMT',
])('a Retry-After of more than a year is a year: %s', (value) => {
  expect(parseRetryAfter({ 'retry-after': value }, now)).toBe(365 * 24 * 3_600_000);
});
