import { describe, expect, test } from 'vitest';
import { createSender } from '../../../src/service/delivery/send.ts';
import { status, taken } from '../../helpers/discord-receiver.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { hour, minute, setDeliveryScene } from './scene.ts';

test('the event of an operation is sent with the templates of the store and the endpoint', async () => {
  const { service, receiver, worker, addEndpoint } = await setDeliveryScene();
  const events = ['post_created', 'dispute_opened', 'backup_created'];
  const discordTemplate = {
    title: 'Shop: {{title}}{{reason}}{{label}}',
    description: null,
    color: '#0A7cff',
  };
  await addEndpoint('1', { events });
  await addEndpoint('2', { events, discordTemplate });
  await service.call('settings.save', '', {
    templates: {
      post_created: { title: 'Neu: {{title}}', body: '' },
      dispute_opened: { title: 'A dispute', body: 'Of kind {{kind}}', private: true },
    },
  });
  await service.call('blog.create', '', { title: 'Ink', contentMd: '' });
  await service.call('disputes.open', '', { kind: 'payment', reason: 'Secret reason', idempotencyKey: 'k' });
  await service.call('backup.create', '', { label: 'L', sections: ['store'], idempotencyKey: 'k' });

  await worker.deliverDue();

  const texts = (webhook: string) =>
    receiver.messages(webhook).map(({ title, description }) => [title, description]);
  expect(texts('1')).toEqual([
    ['Neu: Ink', 'The post is draft.'],
    ['A dispute', 'Of kind …'],
    ['Backup created: L', 'Sections: store.'],
  ]);
  expect(texts('2')).toEqual([
    ['Shop: Ink……', 'The post is draft.'],
    ['Shop: ………', 'Of kind …'],
    ['Shop: ……L', 'Sections: store.'],
  ]);
  expect(receiver.messages('1')[0]?.body.embeds[0]).not.toHaveProperty('color');
  expect(receiver.messages('2')[0]?.body.embeds[0].color).toBe(0x0a7cff);
});

test.each([
  ['an hour at most', { 'Retry-After': '90000' }, '{}', hour],
  ['seconds in the header', { 'Retry-After': '7' }, '{}', 7_000],
  ['decimals in the header', { 'Retry-After': '2.5' }, '{}', 2_500],
  ['seconds in the body', {}, '{"retry_after": 3.25}', 3_250],
  ['the longer of the two, in the body', { 'Retry-After': '1' }, '{"retry_after": 90}', 90_000],
  ['the longer of the two, in the header', { 'Retry-After': '90' }, '{"retry_after": 1.5}', 90_000],
  ['the header with a body that is no JSON', { 'Retry-After': '5' }, '<html>', 5_000],
  ['the header with a body that is too long', { 'Retry-After': '5' }, ' '.repeat(100_000), 5_000],
])('429 is obeyed: %s', async (_, headers, body, pauseMs) => {
  const { receiver, clock, worker, addEndpoints, emit, states } = await setDeliveryScene();
  await addEndpoints('1', '2');
  receiver.script('1', [status(429, headers, body), taken]);
  await emit('a');
  await worker.deliverDue();
  await emit('b');

  clock.now += pauseMs - 1;
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual(['a']);
  expect(receiver.titles('2')).toEqual(['a', 'b']);

  clock.now += 1;
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual(['a', 'a', 'b']);
  expect(await states('1')).toEqual(['delivered', 'delivered']);
});

test.each([401, 403, 404])('%i disables the endpoint and makes its pending deliveries dead', async (code) => {
  const { service, receiver, worker, addEndpoints, emit, deliveries, clock } = await setDeliveryScene();
  await addEndpoints('1', '2');
  receiver.script('1', [status(code)]);
  await emit('a', 'b');
  await worker.deliverDue();

  const lastError = `returned status ${code}`;
  expect((await deliveries()).filter(({ endpoint }) => endpoint === 'Channel 1')).toMatchObject([
    { state: 'dead', attempts: 1, nextAttemptAt: null, lastError },
    { state: 'dead', attempts: 0, nextAttemptAt: null, lastError },
  ]);
  expect(await rowsOf(service, 'endpoints', 'name', 'enabled', 'disabledReason')).toEqual([
    { name: 'Channel 1', enabled: 0, disabledReason: lastError },
    { name: 'Channel 2', enabled: 1, disabledReason: null },
  ]);

  await emit('c');
  clock.now += 100 * hour;
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual(['a']);
  expect(receiver.titles('2')).toEqual(['a', 'b', 'c']);
});

test('another refusal makes one delivery dead, and the next is sent', async () => {
  const { receiver, worker, addEndpoints, emit, states } = await setDeliveryScene();
  await addEndpoints('1');
  receiver.script('1', [status(400), taken]);
  await emit('a', 'b');
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual(['a', 'b']);
  expect(await states()).toEqual(['dead', 'delivered']);
});

test.each([
  ['status 503', status(503)],
  ['status 408', status(408)],
  ['a redirect, which is not followed', status(302, { Location: 'http://127.0.0.1:1/' })],
  ['a reset', { does: 'reset' } as const],
])('%s: tried again after ever longer pauses', async (_, reaction) => {
  const { receiver, clock, worker, addEndpoints, emit, deliveries } = await setDeliveryScene();
  await addEndpoints('1');
  receiver.script('1', [reaction]);
  await emit('a');
  for (const pauseMs of [4_000, 8_000, 16_000]) {
    await worker.deliverDue();
    const nextAttemptAt = new Date(clock.now + pauseMs).toISOString();
    expect(await deliveries()).toMatchObject([{ state: 'pending', nextAttemptAt }]);
    clock.now += pauseMs;
  }
  expect(receiver.titles('1')).toEqual(['a', 'a', 'a']);
});

describe('a clock that is put back by two hours', () => {
  test.each(['goes on', 'was restarted'])('delays no message by that: a worker that %s', async (what) => {
    const scene = await setDeliveryScene();
    const { receiver, clock, addEndpoints, emit, deliveries, states } = scene;
    await addEndpoints('1', '2');
    receiver.script('1', [status(503), status(200)]);
    await emit('a');
    await scene.worker.deliverDue();
    expect(await states('1')).toEqual(['pending']);
    // Due at once, and not yet seen by the worker.
    await emit('b');

    clock.now -= 2 * hour;
    const worker = what === 'goes on' ? scene.worker : scene.newWorker();
    await worker.deliverDue();
    expect(receiver.titles('2')).toEqual(['a', 'b']);
    const waiting = (await deliveries()).find(({ state }) => state === 'pending');
    expect(waiting?.nextAttemptAt).toBe(new Date(clock.now + 4_000).toISOString());

    clock.now += 4_000;
    await worker.deliverDue();
    expect(receiver.titles('1')).toEqual(['a', 'a', 'b']);
  });

  test('keeps a pause that all receivers asked for as long as they asked', async () => {
    const scene = await setDeliveryScene();
    const { receiver, clock, addEndpoints, emit } = scene;
    const steady = { now: 0 };
    const worker = scene.newWorker({ elapsed: () => steady.now });
    await addEndpoints('1');
    receiver.script('1', [
      { does: 'answer', status: 429, headers: { 'Retry-After': '60', 'X-RateLimit-Global': 'true' } },
      status(200),
    ]);
    await emit('a');
    await worker.deliverDue();
    clock.now -= 2 * hour;
    steady.now += minute;
    await worker.deliverDue();
    clock.now += minute;
    await worker.deliverDue();
    expect(receiver.titles('1')).toEqual(['a', 'a']);
  });

  test('quiet hours end by the clock', async () => {
    const { service, receiver, clock, worker, addEndpoints, emit, states } = await setDeliveryScene();
    const quietHours = { enabled: true, start: '10:00', end: '13:00', timezone: 'UTC' };
    await service.call('settings.save', '', { quietHours });
    await addEndpoints('1');
    await emit('a');
    await worker.deliverDue();
    expect(await states()).toEqual(['held']);
    clock.now -= hour;
    await worker.deliverDue();
    clock.now = Date.parse('2030-03-01T12:59:00Z');
    await worker.deliverDue();
    expect(receiver.titles('1')).toEqual([]);
    clock.now = Date.parse('2030-03-01T13:00:00Z');
    await worker.deliverDue();
    expect(receiver.titles('1')).toHaveLength(1);
  });
});

test('after 72 hours of failures a delivery is dead', async () => {
  const { receiver, clock, worker, addEndpoints, emit, deliveries } = await setDeliveryScene();
  await addEndpoints('1');
  receiver.script('1', [status(500)]);
  await emit('a');

  const startedAt = clock.now;
  const pauses: number[] = [];
  for (;;) {
    await worker.deliverDue();
    const [delivery] = await deliveries();
    if (delivery?.nextAttemptAt == null) break;
    pauses.push(Date.parse(delivery.nextAttemptAt) - clock.now);
    clock.now = Date.parse(delivery.nextAttemptAt);
  }

  expect(Math.max(...pauses)).toBe(hour);
  expect(clock.now - startedAt).toBeGreaterThan(70 * hour);
  expect(clock.now - startedAt).toBeLessThanOrEqual(72 * hour);
  expect(receiver.titles('1')).toHaveLength(pauses.length + 1);
  expect(await deliveries()).toMatchObject([
    {
      state: 'dead',
      attempts: pauses.length + 1,
      lastError: expect.stringContaining('no more attempts after 72 hours'),
    },
  ]);
});

test('pauses have jitter over their whole length and last at least a second', async () => {
  const pauseAt = async (random: number) => {
    const { receiver, clock, addEndpoints, emit, deliveries, newWorker } = await setDeliveryScene();
    await addEndpoints('1');
    receiver.script('1', [status(500)]);
    await emit('a');
    await newWorker({ random: () => random }).deliverDue();
    return Date.parse((await deliveries())[0]?.nextAttemptAt ?? '') - clock.now;
  };
  expect([await pauseAt(0), await pauseAt(0.5), await pauseAt(0.999)]).toEqual([1_000, 2_500, 3_997]);
});

test('a timeout is a failure, but an answer without end is not', async () => {
  const { receiver, worker, addEndpoints, emit, deliveries } = await setDeliveryScene({
    timeouts: { connect: 5_000, total: 300 },
  });
  await addEndpoints('1', '2');
  receiver.script('1', [{ does: 'hang' }]);
  receiver.script('2', [{ does: 'flood' }]);
  await emit('a');
  await worker.deliverDue();
  expect(await deliveries()).toMatchObject([
    { state: 'pending', attempts: 1, lastError: 'timed out waiting for the response' },
    { state: 'delivered', attempts: 1 },
  ]);
});

test('an answer in another protocol is a failure and does not delay a stop', async () => {
  const { receiver, worker, addEndpoints, emit, deliveries } = await setDeliveryScene();
  await addEndpoints('1');
  receiver.script('1', [status(101, { Connection: 'Upgrade', Upgrade: 'websocket' }, '')]);
  await emit('a');
  await worker.deliverDue();
  expect(await deliveries()).toMatchObject([
    { state: 'pending', attempts: 1, lastError: 'the connection was closed' },
  ]);
  await worker.stop();
});

test('no URL is in the log or in the list for the operator', async () => {
  const { receiver, clock, log, worker, addEndpoints, emit, deliveries } = await setDeliveryScene();
  await addEndpoints('1', '2', '3');
  receiver.script('1', [status(404)]);
  receiver.script('2', [{ does: 'reset' }, status(500), taken]);
  await emit('a');
  for (let round = 0; round < 3; round++) {
    await worker.deliverDue();
    clock.now += minute;
  }
  expect(log).toHaveLength(5);
  expect(log).toContainEqual(
    expect.objectContaining({ outcome: 'retry', attempt: 1, reason: 'the connection was closed' }),
  );
  const seen = JSON.stringify([log, await deliveries()]);
  expect(seen).toContain('https://discord.com/api/webhooks/1/***');
  expect(seen).not.toContain('secret-of');
});

test('a connection that cannot be opened times out', async () => {
  const nameServiceThatHangs = () => {};
  const send = createSender({ resolve: nameServiceThatHangs, timeouts: { connect: 50, total: 10_000 } });
  const result = await send('https://discord.com/api/webhooks/1/x', {}, new AbortController().signal);
  expect(result).toEqual({ failure: 'timeout while connecting' });
});
