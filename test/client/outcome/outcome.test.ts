import { expect, test } from 'vitest';
import type { OperationClass } from '../../../src/contract/operation.ts';
import { answer, type Behaviour, startFaultServer } from '../../helpers/fault-server.ts';
import { clientFor, skippingClock } from '../support.ts';

const request = (operationClass: OperationClass) =>
  ({ method: 'POST', path: '/v1/x', body: '{}', class: operationClass }) as const;

const drop: Behaviour = { does: 'drop' };

test.each(
  [400, 401, 403, 404, 407, 409, 410, 412, 421, 422, 431, 501].flatMap((status) => [
    ['keyed', status, 'unknown'] as const,
    ['repeatable', status, 'unknown'] as const,
    // There is nothing to apply in a read.
    ['read', status, 'rejected'] as const,
  ]),
)('no refusal ends a doubt: %s, lost, then %i, is %s', async (operationClass, status, kind) => {
  await using server = await startFaultServer([drop, answer(status, { code: 'c' })]);
  await using client = clientFor(server.url);

  const outcome = await client.send(request(operationClass), {});

  expect(outcome).toMatchObject({ kind, attempts: 2, status, problem: { code: 'c' } });
  if (outcome.kind === 'unknown') expect(outcome.failure.code).toBe('connection_lost');
});

test.each(['keyed', 'repeatable'] as const)(
  'a 2xx to the same bytes ends a doubt: %s',
  async (operationClass) => {
    await using server = await startFaultServer([drop, answer(520), answer(200, {})]);
    await using client = clientFor(server.url);

    expect(await client.send(request(operationClass), {})).toMatchObject({ kind: 'applied', attempts: 3 });
  },
);

test.each([
  ['keyed', 'unknown'],
  ['repeatable', 'unknown'],
  ['read', 'rejected'],
] as const)('lost, then throttled to the end: %s is %s', async (operationClass, kind) => {
  await using server = await startFaultServer([drop, answer(429, {}, { 'retry-after': '3' })]);
  const clock = skippingClock();
  await using client = clientFor(server.url, { clock });

  const outcome = await client.send(request(operationClass), {});

  expect(outcome).toMatchObject({ kind, attempts: 4, status: 429 });
  expect(outcome).toHaveProperty('retryAt', expect.closeTo(clock.now() + 3000, -3));
});

test.each([
  ['lost', 'keyed', 'unknown', 'connection_lost', drop],
  ['lost', 'repeatable', 'unknown', 'connection_lost', drop],
  ['lost', 'read', 'not_sent', 'connection_refused', drop],
  ['rejected', 'keyed', 'not_sent', 'connection_refused', answer(429)],
] as const)('%s, then connections are refused: %s is %s', async (_, operationClass, kind, code, first) => {
  const server = await startFaultServer([first]);
  await using client = clientFor(server.url);

  const outcome = await client.send(request(operationClass), {
    beforeAttempt: async (attempt) => {
      if (attempt === 2) await server.close();
    },
  });

  const noResponse = kind === 'unknown' ? { status: null, problem: null } : {};
  expect(outcome).toMatchObject({ kind, failure: { code }, ...noResponse });
});

test('a key that stays in progress is unknown, and says until when to wait', async () => {
  await using server = await startFaultServer([
    answer(409, { code: 'idempotency_in_progress', detail: 'still running' }, { 'Retry-After': '1' }),
  ]);
  const clock = skippingClock();
  await using client = clientFor(server.url, { clock, random: () => 0 });

  const outcome = await client.send(request('keyed'), {});

  expect(outcome).toMatchObject({
    kind: 'unknown',
    attempts: 4,
    status: 409,
    failure: { code: 'in_progress' },
    problem: { code: 'idempotency_in_progress', message: 'still running' },
  });
  expect(clock.sleeps).toEqual([1000, 1000, 1000].map((ms) => expect.closeTo(ms, -3)));
});

test('an unreadable success names its status', async () => {
  await using server = await startFaultServer([answer(201, 'created', { 'content-type': 'text/plain' })]);
  await using client = clientFor(server.url);

  const outcome = await client.send(request('one-shot'), {});

  expect(outcome).toMatchObject({
    kind: 'unknown',
    status: 201,
    failure: { code: 'unreadable_body', message: 'the response is not JSON (text/plain)' },
    problem: null,
  });
});

test.each([204, 205])('%i has no body by definition, and is a success', async (status) => {
  await using server = await startFaultServer([answer(status)]);
  await using client = clientFor(server.url);

  expect(await client.send(request('one-shot'), {})).toMatchObject({
    kind: 'applied',
    status,
    body: null,
    text: '',
  });
});

test.each(['null', 'false', '7', '"text"', '[]', ' {"a":1}\n', '\ufeff{"a":1}'])(
  'any JSON value is a readable body: %j',
  async (text) => {
    await using server = await startFaultServer([answer(200, text)]);
    await using client = clientFor(server.url);

    const outcome = await client.send(request('one-shot'), {});

    expect(outcome).toMatchObject({ kind: 'applied', body: JSON.parse(text.replace('\ufeff', '')) });
  },
);

test('what beforeAttempt throws ends the call before anything is sent', async () => {
  await using server = await startFaultServer([answer(200, {})]);
  await using client = clientFor(server.url);
  const full = new Error('disk full');

  const call = client.send(request('keyed'), { beforeAttempt: () => Promise.reject(full) });

  await expect(call).rejects.toBe(full);
  expect(server.connections).toBe(0);
});

test('a success that cannot be read is asked for once more, also after an attempt that was lost', async () => {
  const page = answer(200, '<html>', { 'content-type': 'text/html' });
  await using server = await startFaultServer([drop, page, answer(200, {})]);
  await using client = clientFor(server.url);

  expect(await client.send(request('keyed'), {})).toMatchObject({ kind: 'applied', attempts: 3 });
});

test('in a batch, only refusals to answer so soon do not count as attempts', async () => {
  const tooMany = answer(429, {}, { 'retry-after': '1' });
  await using server = await startFaultServer([tooMany, tooMany, answer(503)]);
  await using client = clientFor(server.url);

  const outcome = await client.send(request('keyed'), { inBatch: true });

  expect(outcome).toMatchObject({ kind: 'unknown', attempts: 6, status: 503 });
});

test('a service that restarts is waited for a minute, however long it answered before', async () => {
  const server = await startFaultServer([answer(503, {}, { 'retry-after': '50' })]);
  const clock = skippingClock();
  await using client = clientFor(server.url, { clock });
  let closedAt = 0;

  const outcome = await client.send(request('keyed'), {
    beforeAttempt: async (attempt) => {
      if (attempt === 2) await server.close();
      if (attempt === 2) closedAt = clock.monotonic();
    },
  });

  expect(outcome).toMatchObject({ kind: 'unknown', failure: { code: 'server_error' } });
  expect(clock.monotonic() - closedAt).toBeGreaterThanOrEqual(60_000);
});

test.each([
  [303, 'redirected', 'the service returned HTTP 303: redirects to /elsewhere'],
  [500, 'server_error', 'the service returned HTTP 500 Internal Server Error'],
])('%i is in doubt for the reason that it gives', async (status, code, message) => {
  await using server = await startFaultServer([answer(status, '', { location: '/elsewhere' })]);
  await using client = clientFor(server.url);

  expect(await client.send(request('one-shot'), {})).toMatchObject({
    kind: 'unknown',
    failure: { code, message: expect.stringContaining(message) },
  });
});

test('a refusal stays one, whatever it says of progress and wherever it points', async () => {
  const detail = 'a request with this key is still in progress';
  await using server = await startFaultServer([answer(422, { detail }, { location: '/elsewhere' })]);
  await using client = clientFor(server.url);

  expect(await client.send(request('keyed'), {})).toMatchObject({
    kind: 'rejected',
    attempts: 1,
    problem: { message: detail },
  });
});

test.each([
  [299, '{}', 'applied'],
  [200, '', 'unknown'],
])('%i with %j is %s', async (status, text, kind) => {
  await using server = await startFaultServer([answer(status, text)]);
  await using client = clientFor(server.url);

  const outcome = await client.send(request('one-shot'), {});

  expect(outcome.kind).toBe(kind);
  if (outcome.kind === 'unknown') expect(outcome.failure.message).toBe('the response is empty');
});

test('of a very long redirect only the beginning is shown', async () => {
  await using server = await startFaultServer([answer(307, '', { location: `/${'x'.repeat(1_000)}` })]);
  await using client = clientFor(server.url);

  const outcome = await client.send(request('read'), {});

  expect(outcome).toHaveProperty('problem.message', expect.stringMatching(/redirects to \/x{199}, /));
});
