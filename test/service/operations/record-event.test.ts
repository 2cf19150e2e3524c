import { expect, test } from 'vitest';
import { recordEvent } from '../../../src/service/operations/record-event.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { openService, type Service } from '../helpers/service.ts';

const webhook = 'https://discord.com/api/webhooks/1/token';

function outbox({ storage, storeId }: Service) {
  return storage.read(async (db) => ({
    events: await db.selectFrom('events').selectAll().where('storeId', '=', storeId).execute(),
    deliveries: await db.selectFrom('deliveries').selectAll().where('storeId', '=', storeId).execute(),
  }));
}

async function addEndpoint(service: Service, name: string, options: object): Promise<string> {
  const body = { kind: 'discord', name, url: webhook + name, events: ['post_created'], ...options };
  return (await service.call('notify.add-endpoint', '', body)).body.id;
}

test('an event makes a notification, and a delivery for each enabled endpoint that subscribed', async () => {
  const service = await openService();
  const subscribed = [await addEndpoint(service, 'a', {}), await addEndpoint(service, 'b', {})];
  await addEndpoint(service, 'c', { enabled: false });
  await addEndpoint(service, 'd', { events: ['backup_created'] });
  const elsewhere = await openService({ storage: service.storage });
  await addEndpoint(elsewhere, 'e', {});

  await service.call('blog.create', '', { title: 'Hello', contentMd: '' });

  const { events, deliveries } = await outbox(service);
  expect(events).toMatchObject([
    {
      type: 'post_created',
      title: 'New post: Hello',
      body: 'The post is draft.',
      createdAt: '2030-03-01T12:00:00.000Z',
      readAt: null,
    },
  ]);
  expect(deliveries.map((row) => row.endpointId).sort()).toEqual(subscribed.sort());
  for (const delivery of deliveries) {
    expect(delivery).toMatchObject({ eventId: events[0]?.id, status: 'pending', attempts: 0 });
  }
  expect(await rowsOf(service, 'endpoints', 'name', 'dueAt')).toEqual([
    { name: 'a', dueAt: '2030-03-01T12:00:00.000Z' },
    { name: 'b', dueAt: '2030-03-01T12:00:00.000Z' },
    { name: 'c', dueAt: null },
    { name: 'd', dueAt: null },
    { name: 'e', dueAt: null },
  ]);
  expect(await outbox(elsewhere)).toEqual({ events: [], deliveries: [] });
});

test('an event whose cause fails is not stored', async () => {
  const service = await openService();
  await addEndpoint(service, 'a', {});
  const failing = service.inStore(async (work) => {
    await recordEvent(work, 'post_created', { title: 'Never' });
    throw new Error('cut off');
  });
  await expect(failing).rejects.toThrow('cut off');
  expect(await outbox(service)).toEqual({ events: [], deliveries: [] });
});

test('a template of the store gives the text, and a private one leaves values out', async () => {
  const service = await openService();
  await service.call('settings.save', '', {
    templates: {
      post_created: { title: 'Neu: {{title}}', body: '{{ status }} {{unknown}} {{constructor}}' },
      dispute_opened: { title: 'A dispute', body: 'Of kind {{kind}}', private: true },
      backup_created: { title: '', body: '' },
    },
  });
  await service.call('blog.create', '', { title: '{{status}}', contentMd: '' });
  await service.call('disputes.open', '', { kind: 'payment', reason: 'x', idempotencyKey: 'k' });
  await service.call('backup.create', '', { label: 'L', sections: ['store', 'blog'], idempotencyKey: 'k' });
  const { events } = await outbox(service);
  expect(events.slice(1).map(({ title, body }) => [title, body])).toEqual([
    ['Neu: {{status}}', 'draft … …'],
    ['A dispute', 'Of kind …'],
    ['Backup created: L', 'Sections: store, blog.'],
  ]);
});
