import { describe, expect, test } from 'vitest';
import { disableEndpoint } from '../../../src/service/storage/queries/deliveries.ts';
import { faults, openService } from '../helpers/service.ts';
import { ids, make, page, pages, read } from './read-pages.ts';

describe('store.show', () => {
  test('has what an update answers, with its tag', async () => {
    const service = await openService();
    const updated = await service.call('store.update', '', { name: 'B', settings: { description: 'x' } });
    const shown = await read(service, 'store.show');

    expect(shown).toMatchObject({ status: 200, body: updated.body });
    expect(shown.headers.get('etag')).toBe(updated.headers.get('etag'));
  });

  test("its tag allows the next update, and refuses it after another client's", async () => {
    const service = await openService();
    const tag = (await read(service, 'store.show')).headers.get('etag') ?? '';
    const update = (name: string) =>
      service.call('store.update', '', { name }, { headers: { 'if-match': tag } });

    expect((await update('B')).status).toBe(200);
    expect((await update('C')).status).toBe(412);
  });
});

test('reclaim.list has the appeal, and when a notice was closed', async () => {
  const service = await openService();
  const id = await make(service, 'reclaim.list');
  await service.call('reclaim.appeal', id, { text: 'Ours' });
  const { items } = await page(service, 'reclaim.list');

  const at = '2030-03-01T12:00:00.000Z';
  expect(items).toMatchObject([
    { id, subdomain: 'x', status: 'appealed', appealText: 'Ours', createdAt: at, appealedAt: at },
  ]);
  expect(items[0]).not.toHaveProperty('closedAt');
});

test('notify.list says why the service has disabled an endpoint, and shows no secret', async () => {
  const service = await openService();
  const id = await make(service, 'notify.list');
  await make(service, 'notify.list');
  const { storeId } = service;
  await service.inStore(({ db }) => disableEndpoint(db, { storeId, id }, 'Discord answered 404', 'now'));
  const { items } = await page(service, 'notify.list');

  expect(items).toMatchObject([
    { enabled: true },
    { id, enabled: false, disabledReason: 'Discord answered 404' },
  ]);
  expect(items[0]).not.toHaveProperty('disabledReason');
  expect(JSON.stringify(items)).not.toContain('secret');
});

describe('notify.inbox', () => {
  test('has title and text of each event, and whether it was read', async () => {
    const service = await openService();
    await service.call('blog.create', '', { title: 'Spring', contentMd: '' });
    const { items } = await page(service, 'notify.inbox');

    expect(items).toMatchObject([
      { event: 'post_created', read: false, createdAt: '2030-03-01T12:00:00.000Z' },
    ]);
    expect(`${items[0]?.title} ${items[0]?.text}`).toContain('Spring');
  });

  test('leaves out what was marked as read, by id or up to a time', async () => {
    const service = await openService();
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.push(await make(service, 'notify.inbox'));
    const unread = async () =>
      ids((await pages(service, 'notify.inbox', { unread: 'true', limit: 1 })).flat()).toReversed();
    const [first, second, third, fourth, fifth] = made;

    await service.call('notify.mark-read', '', { ids: [second, fourth] });
    expect(await unread()).toEqual([first, third, fifth]);
    await service.call('notify.mark-read', '', {});
    expect(await unread()).toEqual([]);
    const sixth = await make(service, 'notify.inbox');
    expect(await unread()).toEqual([sixth]);
    const { items } = await page(service, 'notify.inbox', { unread: 'false' });
    expect(items.map(({ read: isRead }) => isRead)).toEqual([false, true, true, true, true, true]);
  });

  test('refuses another value', async () => {
    const service = await openService();
    expect(faults(await read(service, 'notify.inbox', { unread: 'yes' }))).toEqual(['/unread invalid_value']);
  });
});
