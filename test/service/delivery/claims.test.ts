import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { retryAllDead, retryDelivery } from '../../../src/service/admin/deliveries.ts';
import { timestamp } from '../../../src/service/model/time.ts';
import { recordEvent } from '../../../src/service/operations/record-event.ts';
import { findBacklog } from '../../../src/service/storage/operator/backlog.ts';
import { lockDue } from '../../../src/service/storage/queries/deliveries.ts';
import { status, taken } from '../../helpers/discord-receiver.ts';
import { newDatabase, openService, openTestStorage, type Service } from '../helpers/service.ts';
import { hour, minute, setDeliveryScene } from './scene.ts';

test('a delivery carries the trace of the request that caused it, however late it is tried', async () => {
  const { service, receiver, worker, log, clock, addEndpoint } = await setDeliveryScene();
  await addEndpoint('1', { events: ['post_created'] });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const post = (title: string, headers: Record<string, string>) =>
    service.call('blog.create', '', { title, contentMd: '' }, { headers });
  await post('Traced', { traceparent });
  await post('Not traced', {});
  await post('No trace', { traceparent: '00-with spaces-01' });
  receiver.script('1', [status(500), taken]);
  await worker.deliverDue();
  clock.now += minute;
  await worker.deliverDue();

  const traces = receiver.messages('1').map((message) => message.traceparent);
  expect(traces).toEqual([traceparent, traceparent, undefined, undefined]);
  expect(log.map((line) => ('traceparent' in line ? line.traceparent : undefined))).toEqual(traces);
});

test('an event is sent to each endpoint that subscribed, once', async () => {
  const { receiver, worker, addEndpoint, addEndpoints, emit, deliveries } = await setDeliveryScene();
  await addEndpoints('1', '2');
  await addEndpoint('3', { events: ['backup_created'] });
  const [eventId] = await emit('Hello');

  await worker.deliverDue();
  await worker.deliverDue();

  expect(
    receiver
      .messages()
      .map(({ webhook }) => webhook)
      .sort(),
  ).toEqual(['1', '2']);
  expect(receiver.messages('1')).toMatchObject([
    { eventId, title: 'Hello', path: '/api/webhooks/1/secret-of-1?wait=true' },
  ]);
  expect(await deliveries()).toMatchObject([
    { state: 'delivered', attempts: 1, settledAt: '2030-03-01T12:00:00.000Z', lastError: null },
    { state: 'delivered', attempts: 1 },
  ]);
});

test('messages to an endpoint keep their order, also after failures', async () => {
  const { receiver, clock, worker, addEndpoints, emit, states } = await setDeliveryScene();
  await addEndpoints('1');
  receiver.script('1', [status(500), taken, { does: 'reset' }, status(503), taken]);
  await emit('a', 'b', 'c');

  await worker.deliverDue();
  expect(await states()).toEqual(['pending', 'pending', 'pending']);
  for (let round = 0; round < 3; round++) {
    clock.now += minute;
    await worker.deliverDue();
  }

  expect(receiver.titles('1')).toEqual(['a', 'a', 'b', 'b', 'b', 'c']);
  expect(await states()).toEqual(['delivered', 'delivered', 'delivered']);
});

test('a slow endpoint does not block others', async () => {
  const { receiver, addEndpoints, emit, states, newWorker } = await setDeliveryScene();
  await addEndpoints('1', '2', '3');
  let answer = () => {};
  receiver.script('1', [{ does: 'wait', until: new Promise<void>((resolve) => (answer = resolve)) }, taken]);
  receiver.script('2', [status(500)]);
  const worker = newWorker();
  worker.start();
  onTestFinished(() => worker.stop());

  await emit('a');
  await receiver.received(1, '1');
  for (const [index, title] of ['b', 'c', 'd'].entries()) {
    await emit(title);
    await receiver.received(index + 2, '3');
  }
  expect(receiver.titles('1')).toEqual(['a']);
  expect(receiver.titles('2')).toEqual(['a']);
  expect(receiver.titles('3')).toEqual(['a', 'b', 'c', 'd']);

  answer();
  await receiver.received(4, '1');
  expect(receiver.titles('1')).toEqual(['a', 'b', 'c', 'd']);
  await worker.stop();
  expect(await states('1')).toEqual(['delivered', 'delivered', 'delivered', 'delivered']);
});

test('a delivery that cannot be read does not block others', async () => {
  const { service, receiver, log, worker, addEndpoints, emit, states } = await setDeliveryScene();
  await addEndpoints('1', '2');
  const [eventId = ''] = await emit('a');
  await emit('b');
  await service.storage.write(async (db) => {
    await db.updateTable('events').set({ data: 'damaged' }).where('id', '=', eventId).execute();
    await db
      .deleteFrom('deliveries')
      .where('eventId', '=', eventId)
      .where('endpointId', 'in', db.selectFrom('endpoints').select('id').where('name', '=', 'Channel 2'))
      .execute();
  });
  await worker.deliverDue();
  expect(receiver.titles('2')).toEqual(['b']);
  expect(await states('1')).toEqual(['pending', 'pending']);
  expect(log).toContainEqual(expect.objectContaining({ level: 'error' }));
});

test('stopping a worker finishes running sends and starts no others', async () => {
  const { receiver, worker, addEndpoints, emit, states } = await setDeliveryScene();
  await addEndpoints('1');
  let answer = () => {};
  receiver.script('1', [{ does: 'wait', until: new Promise<void>((resolve) => (answer = resolve)) }]);
  await emit('a', 'b');
  worker.start();
  await receiver.received(1);
  const stopped = worker.stop();
  answer();
  await stopped;
  expect(receiver.titles('1')).toEqual(['a']);
  expect(await states()).toEqual(['delivered', 'pending']);
});

test('stopping a worker does not wait for a database that never answers', async () => {
  const { service, newWorker } = await setDeliveryScene();
  const read = () => new Promise<never>(() => {});
  const worker = newWorker({ storage: { ...service.storage, read }, graceMs: 0 });
  worker.start();
  await expect(worker.stop()).resolves.toBeUndefined();
});

test('quiet hours hold messages back in order, visibly for the operator', async () => {
  const { service, receiver, clock, worker, addEndpoints, emit, states, deliveries } =
    await setDeliveryScene();
  const quietHours = { enabled: true, start: '22:00', end: '07:00', timezone: 'Europe/Berlin' };
  const templates = { feedback_digest: { title: '{{title}}', body: '.' } };
  await service.call('settings.save', '', { quietHours, templates });
  await addEndpoints('1');
  const elsewhere = await openService({ storage: service.storage });
  await elsewhere.call('notify.add-endpoint', '', {
    kind: 'discord',
    name: 'Elsewhere',
    url: 'https://discord.com/api/webhooks/2/x',
    events: ['feedback_digest'],
  });

  clock.now = Date.parse('2030-03-01T21:00:00Z');
  await emit('a', 'b');
  await elsewhere.inStore((work) =>
    recordEvent({ ...work, now: clock.now }, 'feedback_digest', { summary: '' }),
  );
  await worker.deliverDue();
  expect(receiver.messages().map(({ webhook }) => webhook)).toEqual(['2']);
  expect(await states()).toEqual(['held', 'held']);
  expect((await deliveries())[0]).toMatchObject({ attempts: 0, nextAttemptAt: '2030-03-02T06:00:00.000Z' });

  clock.now = Date.parse('2030-03-02T05:59:59.999Z');
  await emit('c');
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual([]);

  clock.now = Date.parse('2030-03-02T06:00:00Z');
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual(['a', 'b', 'c']);
  expect(await states()).toEqual(['delivered', 'delivered', 'delivered']);
});

const always = { enabled: true, start: '00:00', end: '23:59', timezone: 'UTC' };

test('held messages are not looked at again until quiet hours end', async () => {
  const { service, receiver, clock, worker, addEndpoints, emit, states } = await setDeliveryScene();
  await service.call('settings.save', '', { quietHours: always });
  await addEndpoints('1', '2', '3');
  await emit('a');
  await worker.deliverDue();
  const { commits } = service.storage.usage();
  for (let hours = 0; hours < 5; hours++) {
    clock.now += hour;
    await worker.deliverDue();
  }
  expect(service.storage.usage().commits).toBe(commits);
  expect(await states()).toEqual(['held', 'held', 'held']);
  clock.now = Date.parse('2030-03-01T23:59:00Z');
  await worker.deliverDue();
  expect(receiver.messages()).toHaveLength(3);
});

test('saved settings release held messages at once, but not those that wait after a failure', async () => {
  const { service, receiver, worker, addEndpoints, emit, states } = await setDeliveryScene();
  await addEndpoints('1', '2');
  receiver.script('1', [status(500), taken]);
  await emit('a');
  await worker.deliverDue();
  await service.call('settings.save', '', { quietHours: always });
  await emit('b');
  await worker.deliverDue();
  expect(await states()).toEqual(['pending', 'delivered', 'pending', 'held']);

  await service.call('settings.save', '', { templates: { feedback_digest: { title: 'x', body: '' } } });
  await worker.deliverDue();
  expect(receiver.messages('2')).toHaveLength(2);
  expect(receiver.messages('1')).toHaveLength(1);
});

test('a restore of settings releases held messages, and one that enables an endpoint sends what waits there', async () => {
  const { service, receiver, worker, addEndpoints, emit, states } = await setDeliveryScene();
  await addEndpoints('1');
  const backUp = async (sections: string[]) => {
    const body = { label: 'L', sections, idempotencyKey: randomUUID() };
    return (await service.call('backup.create', '', body)).body.id;
  };
  const restore = async (id: string, sections: string[]) => {
    const answer = await service.call('backup.restore', id, { sections, idempotencyKey: randomUUID() });
    expect(answer.status).toBe(200);
  };
  const enabled = await backUp(['endpoints', 'settings']);
  await service.call('settings.save', '', { quietHours: always });
  await emit('held');
  await worker.deliverDue();
  expect(await states()).toEqual(['held']);
  await restore(enabled, ['settings']);
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual(['held']);

  receiver.script('1', [status(404), taken]);
  await emit('refused');
  await worker.deliverDue();
  const disabled = await backUp(['endpoints']);
  await restore(enabled, ['endpoints']);
  await emit('waiting');
  await restore(disabled, ['endpoints']);
  await worker.deliverDue();
  expect(await states()).toEqual(['delivered', 'dead', 'pending']);
  await restore(enabled, ['endpoints']);
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual(['held', 'refused', 'waiting']);
});

test('deliveries are counted by what they wait for, and only due ones have an age', async () => {
  const scene = await setDeliveryScene();
  const { service, receiver, clock, worker, addEndpoints, emit } = scene;
  await addEndpoints('1', '2', '3');
  receiver.script('1', [status(500)]);
  receiver.script('2', [status(404)]);
  await emit('a', 'b');
  const emitElsewhere = await addManyEndpoints(scene, idsFrom(100, 20));
  await worker.deliverDue();
  await service.call('settings.save', '', { quietHours: always });
  await emit('c');
  await worker.deliverDue();
  const backlog = (ms: number) => service.storage.read((db) => findBacklog(db, clock.now + ms));
  const waiting = { due: 0, sending: 0, retrying: 3, held: 1, dead: 2 };
  expect(await backlog(0)).toEqual({ counts: waiting, oldestDueMs: 0 });

  await emitElsewhere();
  expect(await backlog(3_000)).toEqual({ counts: { ...waiting, due: 20 }, oldestDueMs: 3_000 });
  const { claimed, answer } = await hangOne(scene);
  await expect.poll(async () => (await backlog(0)).counts).toEqual({ ...waiting, sending: 1 });
  answer();
  await claimed;
  expect((await backlog(0)).counts).toEqual(waiting);
});

/** Sends everything that is due, and is not answered for the last message. */
async function hangOne({ receiver, worker }: Awaited<ReturnType<typeof setDeliveryScene>>) {
  let answer = () => {};
  receiver.script('119', [{ does: 'wait', until: new Promise<void>((resolve) => (answer = resolve)) }]);
  const before = receiver.messages().length;
  const claimed = worker.deliverDue();
  await receiver.received(before + 20);
  await vi.waitFor(() => expect(worker.freeSlots()).toBeGreaterThanOrEqual(63), 20_000);
  return { claimed, answer };
}

/** Endpoints of several stores, because a store can have 20. Answers how to send all of them an event. */
async function addManyEndpoints(
  scene: Awaited<ReturnType<typeof setDeliveryScene>>,
  webhooks: readonly string[],
) {
  const stores: Service[] = [];
  for (let index = 0; index < webhooks.length; index += 20) {
    const service = await openService({ storage: scene.service.storage });
    service.clock.now = scene.clock.now;
    stores.push(service);
    for (const webhook of webhooks.slice(index, index + 20)) {
      const url = `https://discord.com/api/webhooks/${webhook}/x`;
      const body = { kind: 'discord', name: webhook, url, events: ['feedback_digest'] };
      await service.call('notify.add-endpoint', '', body);
    }
  }
  return async () => {
    for (const { inStore } of stores) {
      await inStore((work) => recordEvent({ ...work, now: scene.clock.now }, 'feedback_digest', {}));
    }
  };
}

const idsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${first + index}`);

test('more hanging endpoints than slots do not delay the others', async () => {
  const scene = await setDeliveryScene();
  const { receiver, log, worker, addEndpoints, emit } = scene;
  const hanging = idsFrom(100, 100);
  for (const webhook of hanging) receiver.script(webhook, [{ does: 'hang' }]);
  const emitToHanging = await addManyEndpoints(scene, hanging);
  await addEndpoints('1');
  await emitToHanging();
  worker.start();
  onTestFinished(() => worker.stop());
  await receiver.received(64);
  await emit('a');
  await receiver.received(1, '1');
  // None of the others has ended meanwhile.
  expect(log.filter((line) => 'outcome' in line && line.outcome === 'retry')).toEqual([]);
}, 120_000);

test('endpoints that have failed come behind others, and only some of them', async () => {
  const scene = await setDeliveryScene();
  const { service, clock, worker, receiver, addEndpoints, emit } = scene;
  const failing = idsFrom(100, 20);
  for (const webhook of failing) receiver.script(webhook, [status(500)]);
  const emitToFailing = await addManyEndpoints(scene, failing);
  await addEndpoints('1', '2');
  receiver.script('1', [status(429, { 'Retry-After': '1' })]);
  await emitToFailing();
  await emit('a');
  await worker.deliverDue();
  clock.now += hour;
  await emit('b');

  const names = new Map(
    (await service.storage.read((db) => db.selectFrom('endpoints').select(['id', 'name']).execute())).map(
      ({ id, name }) => [id, name],
    ),
  );
  const due = (total: number, max: number) =>
    service.storage.write(async (db) => {
      const rows = await lockDue(db, timestamp(clock.now), { total, failing: max });
      return rows.map(({ id, isFailing }) => [isFailing ? 'failing' : names.get(id)]);
    });
  expect(await due(64, 16)).toEqual([['Channel 1'], ['Channel 2'], ...Array(16).fill(['failing'])]);
  expect(await due(4, 16)).toEqual([['Channel 1'], ['Channel 2'], ['failing'], ['failing']]);
  expect(await due(64, 0)).toEqual([['Channel 1'], ['Channel 2']]);
});

test.each([
  ['in the body', {}, '{"global": true, "retry_after": 60}'],
  ['in a header', { 'X-RateLimit-Global': 'true', 'Retry-After': '60' }, '{}'],
])(
  'a global 429, %s, stops everything until its end, and no endpoint has failed',
  async (_, headers, body) => {
    const scene = await setDeliveryScene();
    const { service, receiver, clock, worker, states } = scene;
    const webhooks = idsFrom(100, 100);
    for (const webhook of webhooks) receiver.script(webhook, [status(429, headers, body), taken]);
    const emitToAll = await addManyEndpoints(scene, webhooks);
    await emitToAll();
    await worker.deliverDue();
    const tried = receiver.messages().length;
    expect(tried).toBeLessThanOrEqual(64);

    clock.now += 59_999;
    await emitToAll();
    await worker.deliverDue();
    expect(receiver.messages()).toHaveLength(tried);

    for (const webhook of webhooks) receiver.script(webhook, [taken]);
    clock.now += 1;
    await worker.deliverDue();
    expect(receiver.messages()).toHaveLength(tried + 200);
    const failing = await service.storage.read((db) =>
      db.selectFrom('endpoints').select('id').where('isFailing', '=', 1).execute(),
    );
    expect([failing, await states()]).toEqual([[], []]);
  },
  120_000,
);

test('events that are recorded while a worker sends are all sent', async () => {
  const { receiver, worker, addEndpoints, emit } = await setDeliveryScene();
  await addEndpoints('1', '2');
  worker.start();
  onTestFinished(() => worker.stop());
  const titles = idsFrom(0, 60);
  for (const title of titles) await emit(title);
  await receiver.received(2 * titles.length);
  expect(receiver.titles('1')).toEqual(titles);
  expect(receiver.titles('2')).toEqual(titles);
});

test('the operator can retry a dead delivery, which enables its endpoint', async () => {
  const { service, receiver, clock, worker, addEndpoints, emit, states, deliveries } =
    await setDeliveryScene();
  await addEndpoints('1', '2');
  receiver.script('1', [status(404), taken]);
  receiver.script('2', [status(400), taken]);
  const [eventId] = await emit('a', 'b');
  await worker.deliverDue();
  expect(await states()).toEqual(['dead', 'dead', 'dead', 'delivered']);

  const [first] = await deliveries();
  await retryDelivery(service.storage, first?.id ?? '', undefined, clock.now);
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual(['a', 'a']);
  expect(new Set(receiver.messages('1').map((message) => message.eventId))).toEqual(new Set([eventId]));
  expect(await states('1')).toEqual(['delivered', 'dead']);

  expect(await retryAllDead(service.storage, undefined, clock.now)).toBe(2);
  await worker.deliverDue();
  expect(receiver.titles('1')).toEqual(['a', 'a', 'b']);
  expect(receiver.titles('2')).toEqual(['a', 'b', 'a']);
  expect(await retryAllDead(service.storage, undefined, clock.now)).toBe(0);
  await expect(retryDelivery(service.storage, first?.id ?? '')).rejects.toMatchObject({
    code: 'state_conflict',
  });
  await expect(retryDelivery(service.storage, 'nothing')).rejects.toMatchObject({ code: 'not_found' });
});

test('several workers on one database: each message once, in order', async () => {
  const database = await newDatabase();
  const service = await openService({ storage: await openTestStorage(database) });
  const { receiver, newWorker, addEndpoints, emit, states } = await setDeliveryScene({ service });
  const webhooks = ['1', '2', '3', '4', '5', '6'];
  await addEndpoints(...webhooks);
  const storages = [service.storage, await openTestStorage(database), await openTestStorage(database)];
  const workers = storages.map((storage) => newWorker({ storage }));
  for (const worker of workers) worker.start();
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));

  const titles = Array.from({ length: 12 }, (_, index) => `${index}`);
  await emit(...titles);
  await receiver.received(webhooks.length * titles.length);
  await Promise.all(workers.map((worker) => worker.stop()));

  for (const webhook of webhooks) expect(receiver.titles(webhook)).toEqual(titles);
  expect(new Set(await states())).toEqual(new Set(['delivered']));
});

test('other workers wait for a claimed message and send it, with the same id, when the claim ends', async () => {
  const { receiver, clock, worker, newWorker, addEndpoints, emit, states } = await setDeliveryScene();
  await addEndpoints('1');
  let answer = () => {};
  receiver.script('1', [{ does: 'wait', until: new Promise<void>((resolve) => (answer = resolve)) }, taken]);
  const [eventId] = await emit('a');
  const hanging = worker.deliverDue();
  await receiver.received(1);

  const startedAt = clock.now;
  const other = (afterMs: number) => newWorker({ clock: () => startedAt + afterMs }).deliverDue();
  await other(19_999);
  expect(receiver.titles('1')).toEqual(['a']);
  await other(20_000);
  expect(receiver.messages('1').map((message) => message.eventId)).toEqual([eventId, eventId]);

  answer();
  await hanging;
  expect(receiver.messages('1')).toHaveLength(2);
  expect(await states()).toEqual(['delivered']);
});
