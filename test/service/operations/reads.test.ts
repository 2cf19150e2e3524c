import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type ReadId, servedOperations } from '../../../src/contract/operations.ts';
import { createKey, type Scope } from '../../../src/service/index.ts';
import { addReclaim } from '../../../src/service/operations/reclaims.ts';
import { disableEndpoint } from '../../../src/service/storage/queries/deliveries.ts';
import { type Answer, expectFaults, faults, openService, type Service } from '../helpers/service.ts';

const lists = servedOperations.flatMap((operation) =>
  'isAddition' in operation && 'query' in operation ? [operation.id] : [],
);

type Item = Readonly<Record<string, unknown>> & { readonly id: string };

interface Page {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** Sends a read, with the parameters of its query. */
async function read(
  service: Service,
  id: ReadId,
  query: Readonly<Record<string, string | number>> = {},
  { target = '', key = service.key } = {},
): Promise<Answer> {
  const operation = servedOperations.find((one) => one.id === id);
  const path = operation?.path.replace('{storeId}', service.storeId).replace(/\{\w+\}/, target);
  const text = new URLSearchParams(query as Record<string, string>);
  return service.send('GET', `${path}?${text}`, undefined, { headers: { authorization: `Bearer ${key}` } });
}

async function page(service: Service, id: ReadId, query: Readonly<Record<string, string | number>> = {}) {
  const { status, body } = await read(service, id, query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Page;
}

/** All pages, one after the other. Calls `between` before each but the first. */
async function pages(
  service: Service,
  id: ReadId,
  query: Readonly<Record<string, string | number>> = {},
  between = async (_: number) => {},
): Promise<(readonly Item[])[]> {
  const found: (readonly Item[])[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await page(service, id, { ...query, ...(after !== undefined && { after }) });
    found.push(items);
    if (next === undefined) return found;
    after = next;
    await between(found.length);
  }
}

let made = 0;

/** Makes an object that the list has, and answers its id. */
async function make(service: Service, list: (typeof lists)[number]): Promise<string> {
  made += 1;
  const name = `N${made}`;
  const idempotencyKey = name;
  switch (list) {
    case 'blog.list':
      return (await service.call('blog.create', '', { title: name, contentMd: name })).body.id;
    case 'disputes.list':
      return (await service.call('disputes.open', '', { kind: 'payment', reason: name, idempotencyKey })).body
        .id;
    case 'backup.list': {
      const body = { label: name, sections: ['settings'], idempotencyKey };
      return (await service.call('backup.create', '', body)).body.id;
    }
    case 'reclaim.list':
      return (await service.inStore((work) => addReclaim(work, { subdomain: 'x', reason: name }))).id;
    case 'notify.list': {
      const url = `https://discord.com/api/webhooks/${made}/secret`;
      const body = { kind: 'discord', name, url, events: ['post_created'] };
      return (await service.call('notify.add-endpoint', '', body)).body.id;
    }
    case 'notify.inbox': {
      await service.call('store.update', '', { name });
      return (await page(service, 'notify.inbox', { limit: 1 })).items[0]?.id ?? '';
    }
  }
}

const ids = (items: readonly Item[]) => items.map(({ id }) => id);

describe.each(lists)('%s', (list) => {
  test('begins empty', async () => {
    const service = await openService();
    expect(await page(service, list)).toEqual({ items: [] });
  });

  test('has the newest first, on pages of the length that is asked for', async () => {
    const service = await openService();
    const expected: string[] = [];
    for (let count = 0; count < 7; count++) expected.unshift(await make(service, list));

    const all = await page(service, list);
    expect(ids(all.items)).toEqual(expected);
    expect(all.next).toBeUndefined();
    for (const limit of [1, 3, 6, 7, 100]) {
      const found = await pages(service, list, { limit });
      expect(found.map((items) => items.length)).toEqual(
        Array.from({ length: Math.ceil(7 / limit) }, (_, index) => Math.min(limit, 7 - index * limit)),
      );
      expect(ids(found.flat())).toEqual(expected);
    }
  });

  test('has 50 items on a page unless asked for another number', async () => {
    // A store has at most 20 endpoints, and others take longer to make.
    if (list !== 'reclaim.list') return;
    const service = await openService();
    for (let count = 0; count < 51; count++) await make(service, list);

    expect((await page(service, list)).items).toHaveLength(50);
    expect((await page(service, list, { limit: 100 })).items).toHaveLength(51);
  });

  test('refuses a parameter or a value that it does not know by its name', async () => {
    const service = await openService();
    const other = lists.find((one) => one !== list && one.split('.')[0] !== list.split('.')[0]) ?? list;
    for (let count = 0; count < 2; count++) await make(service, other);
    const foreign = (await page(service, other, { limit: 1 })).next ?? '';
    const hasOwnOrder = ['blog.list', 'notify.inbox'].includes(list) || ['blog.list'].includes(other);
    const cases: readonly (readonly [string, string])[] = [
      ['nope=1', '/nope unknown_parameter'],
      ['Limit=1', '/Limit unknown_parameter'],
      ['__proto__=1', '/__proto__ unknown_parameter'],
      ['limit=', '/limit invalid_format'],
      ['limit=0', '/limit invalid_format'],
      ['limit=-1', '/limit invalid_format'],
      ['limit=1.5', '/limit invalid_format'],
      ['limit=1e1', '/limit invalid_format'],
      ['limit=101', '/limit too_big'],
      ['limit=1&limit=2', '/limit duplicate'],
      ['after=', '/after invalid_format'],
      ['after=nonsense', '/after invalid_format'],
      [`after=${Buffer.from('["id","\\u0000"]').toString('base64url')}`, '/after invalid_format'],
      [`after=${Buffer.from('{"id":1}').toString('base64url')}`, '/after invalid_format'],
      ...(hasOwnOrder ? [[`after=${foreign}`, '/after invalid_format'] as const] : []),
    ];
    for (const [query, fault] of cases) {
      const operation = servedOperations.find(({ id }) => id === list);
      const path = operation?.path.replace('{storeId}', service.storeId);
      expect(faults(await service.send('GET', `${path}?${query}`)), query).toEqual([fault]);
    }
  });

  test('has what its store has, and nothing of another', async () => {
    const service = await openService();
    const other = await openService({ storage: service.storage });
    const own = [await make(service, list), await make(service, list)];
    await make(other, list);
    const { next = '' } = await page(service, list, { limit: 1 });

    expect(ids((await page(service, list)).items)).toEqual(own.toReversed());
    expect(ids((await page(other, list)).items)).not.toContain(own[0]);
    const elsewhere = await page(other, list, { after: next });
    for (const id of own) expect(ids(elsewhere.items)).not.toContain(id);
  });

  test('paging while others write shows nothing twice, and everything that was there from beginning to end', async () => {
    const service = await openService();
    const before: string[] = [];
    for (let count = 0; count < 6; count++) before.unshift(await make(service, list));
    const found = await pages(service, list, { limit: 2 }, async () => {
      await make(service, list);
    });

    expect(ids(found.flat())).toEqual(before);
  });
});

test('reads without a list refuse every parameter', async () => {
  const service = await openService();
  for (const id of ['store.show', 'blog.show', 'backup.show'] as const) {
    expect(faults(await read(service, id, { limit: 1 }, { target: 'x' }))).toEqual([
      '/limit unknown_parameter',
    ]);
  }
});

test('a HEAD of a list has the headers of its GET', async () => {
  const service = await openService();
  const path = `/v1/stores/${service.storeId}/operations/backups`;

  expect((await service.send('HEAD', `${path}?limit=1`)).status).toBe(200);
  expect((await service.send('HEAD', `${path}?nope=1`)).status).toBe(422);
});

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

async function backUp(service: Service, sections: readonly string[]): Promise<string> {
  made += 1;
  const body = { label: 'L', sections, idempotencyKey: `b${made}` };
  return (await service.call('backup.create', '', body)).body.id;
}

async function restore(service: Service, target: string, sections: readonly string[]): Promise<Answer> {
  made += 1;
  return service.call('backup.restore', target, { sections, idempotencyKey: `r${made}` });
}

describe('the blog', () => {
  test('lists posts with a checksum in place of their content', async () => {
    const service = await openService();
    const contentMd = '# Größe 😀';
    const { body } = await service.call('blog.create', '', { title: 'A', contentMd, tags: ['x'] });
    const { contentMd: _, ...rest } = body;
    const contentSha256 = createHash('sha256').update(contentMd).digest('hex');

    expect((await page(service, 'blog.list')).items).toEqual([{ ...rest, contentSha256 }]);
  });

  test('finds a post by its slug', async () => {
    const service = await openService();
    const { id, slug } = (await service.call('blog.create', '', { title: 'Größe', contentMd: '' })).body;
    await make(service, 'blog.list');

    expect(ids((await page(service, 'blog.list', { slug })).items)).toEqual([id]);
    expect((await page(service, 'blog.list', { slug: 'none' })).items).toEqual([]);
  });

  test('shows a post where its Location says', async () => {
    const service = await openService();
    const created = await service.call('blog.create', '', { title: 'A', contentMd: 'x' });
    const shown = await service.send('GET', created.headers.get('location') ?? '');

    expect(shown).toMatchObject({ status: 200, body: created.body });
    expect((await read(service, 'blog.show', {}, { target: 'none' })).status).toBe(404);
  });

  test('publishes a scheduled post when its time has come', async () => {
    const service = await openService();
    const scheduledAt = '2030-03-01T13:00:00.000Z';
    const post = { title: 'A', contentMd: '', status: 'scheduled', scheduledAt };
    const { id } = (await service.call('blog.create', '', post)).body;
    const statuses = async () => [
      (await read(service, 'blog.show', {}, { target: id })).body.effectiveStatus,
      (await page(service, 'blog.list')).items[0]?.effectiveStatus,
    ];

    expect(await statuses()).toEqual(['scheduled', 'scheduled']);
    service.clock.now += 60 * 60_000;
    expect(await statuses()).toEqual(['published', 'published']);
  });

  test('has the posts that restores leave, and pages over them', async () => {
    const service = await openService();
    const all: string[] = [];
    for (let count = 0; count < 4; count++) all.unshift(await make(service, 'blog.list'));
    const four = await backUp(service, ['blog']);
    const hidden = await make(service, 'blog.list');
    await restore(service, four, ['blog']);
    const later = await make(service, 'blog.list');

    expect(ids((await pages(service, 'blog.list', { limit: 2 })).flat())).toEqual([later, ...all]);
    expect((await read(service, 'blog.show', {}, { target: hidden })).status).toBe(404);
  });

  test('after many restores, each post that was there from beginning to end is seen once', async () => {
    const service = await openService();
    const shown: string[] = [];
    const empty = await backUp(service, ['blog']);
    for (let count = 0; count < 30; count++) {
      shown.unshift(await make(service, 'blog.list'));
      const kept = await backUp(service, ['blog']);
      await make(service, 'blog.list');
      await restore(service, kept, ['blog']);
    }
    const full = await backUp(service, ['blog']);
    const found = await pages(service, 'blog.list', { limit: 7 }, async (count) => {
      await make(service, 'blog.list');
      // For a moment the blog is empty, and then as it was.
      if (count === 2) await restore(service, empty, ['blog']);
      await restore(service, full, ['blog']);
    });

    expect(ids(found.flat())).toEqual(shown);
  });
});

describe('disputes.list', () => {
  /** Opens a dispute that a word names. */
  async function open(service: Service, reason: string, more: object = {}): Promise<string> {
    const body = { kind: 'payment', reason, idempotencyKey: reason, ...more };
    return (await service.call('disputes.open', '', body)).body.id;
  }

  test('has records without their risk signals', async () => {
    const service = await openService();
    const id = await open(service, 'a', { riskSignals: { score: 9 }, buyerEmail: 'a@example.com' });
    const { riskSignals, ...record } = (await service.call('disputes.show', id)).body.record;

    expect(riskSignals).toEqual({ score: 9 });
    expect((await page(service, 'disputes.list')).items).toEqual([record]);
  });

  test('has the open ones by deadline, and by id where it is the same', async () => {
    const service = await openService();
    const late = await open(service, 'late', { deadlineAt: '2031-01-01T00:00:00Z' });
    const first = await open(service, 'first', { deadlineAt: '2030-06-01T00:00:00Z' });
    const second = await open(service, 'second', { deadlineAt: '2030-06-01T00:00:00Z' });
    const decided = await open(service, 'decided', { deadlineAt: '2030-05-01T00:00:00Z' });
    await service.call('disputes.decide', decided, { status: 'lost', resolution: 'x' });

    for (const limit of [1, 2, 50]) {
      const found = await pages(service, 'disputes.list', { status: 'open', limit });
      expect(ids(found.flat())).toEqual([first, second, late]);
    }
    expect(ids((await page(service, 'disputes.list')).items)).toEqual([decided, second, first, late]);
  });

  test('a decision during paging hides no other dispute', async () => {
    const service = await openService();
    const opened: string[] = [];
    for (let day = 1; day <= 8; day++) {
      opened.push(await open(service, `d${day}`, { deadlineAt: `2030-06-0${day}T00:00:00Z` }));
    }
    const found = await pages(service, 'disputes.list', { status: 'open', limit: 2 }, async (count) => {
      await service.call('disputes.decide', opened[2 * count - 2] ?? '', { status: 'won', resolution: 'x' });
    });

    expect(ids(found.flat())).toEqual(opened);
  });

  test('finds those of a case and of an order, whatever the case of letters in a UUID', async () => {
    const service = await openService();
    const orderId = '4be5c0de-0000-4000-8000-00000000000a';
    const one = await open(service, 'one', { providerCaseId: 'CASE 1', orderId });
    const two = await open(service, 'two', { providerCaseId: 'CASE 1' });
    await open(service, 'three', { providerCaseId: 'case 1' });

    const find = async (query: Record<string, string>) =>
      ids((await page(service, 'disputes.list', query)).items);
    expect(await find({ providerCaseId: 'CASE 1' })).toEqual([two, one]);
    expect(await find({ orderId: orderId.toUpperCase() })).toEqual([one]);
    expect(await find({ providerCaseId: 'CASE 1', orderId, status: 'open' })).toEqual([one]);
    await service.call('disputes.decide', one, { status: 'won', resolution: 'x' });
    expect(await find({ providerCaseId: 'CASE 1', status: 'open' })).toEqual([two]);
  });

  test('refuses filters that it does not know', async () => {
    const service = await openService();
    const refused = async (query: Record<string, string>) =>
      faults(await read(service, 'disputes.list', query));

    expect(await refused({ status: 'won' })).toEqual(['/status invalid_value']);
    expect(await refused({ orderId: 'x' })).toEqual(['/orderId invalid_format']);
    expect(await refused({ providerCaseId: 'x\0' })).toEqual(['/providerCaseId invalid_format']);
    await open(service, 'a');
    await open(service, 'b');
    const { next = '' } = await page(service, 'disputes.list', { limit: 1 });
    expect(await refused({ status: 'open', after: next })).toEqual(['/after invalid_format']);
  });
});

describe('backups', () => {
  const endpoint = (number: number) => ({
    kind: 'discord',
    name: `E${number}`,
    url: `https://discord.com/api/webhooks/${number}/secret`,
    events: ['post_created'],
  });

  /** A store with a backup of all sections, and changed since. */
  async function changedStore() {
    const service = await openService();
    await service.call('store.update', '', {
      name: 'Old',
      settings: { description: 'D', tax: { rateBp: 1 } },
    });
    await service.call('settings.save', '', { discovery: { summary: 'Old' } });
    await service.call('notify.add-endpoint', '', endpoint(1));
    await make(service, 'blog.list');
    const empty = await backUp(service, ['endpoints']);
    const id = await backUp(service, ['endpoints', 'store', 'settings', 'blog']);
    const patch = { name: 'New', settings: { description: null, tax: { rateBp: 2 } } };
    await service.call('store.update', '', patch);
    await service.call('settings.save', '', { discovery: { summary: 'New' } });
    await service.call('notify.add-endpoint', '', endpoint(2));
    for (let count = 0; count < 3; count++) await make(service, 'blog.list');
    return { service, id, empty };
  }

  const show = async (service: Service, target: string, scopes?: readonly Scope[]) => {
    const { storage, storeId } = service;
    const key = scopes && (await createKey(storage, { storeId, scopes })).key;
    return (await read(service, 'backup.show', {}, { target, ...(key !== undefined && { key }) })).body;
  };

  test('the list says which ones restores have made', async () => {
    const service = await openService();
    const id = await backUp(service, ['store', 'blog']);
    const { preRestoreBackupId } = (await restore(service, id, ['blog'])).body;
    const { items } = await page(service, 'backup.list');

    expect(items).toMatchObject([
      { id: preRestoreBackupId, sections: ['blog'], automatic: true },
      { id, version: 1, label: 'L', sections: ['store', 'blog'], automatic: false },
    ]);
    expect(Object.keys(items[1] ?? {}).sort()).toEqual([
      'automatic',
      'createdAt',
      'id',
      'label',
      'sections',
      'version',
    ]);
  });

  test('one says what restoring it would change, which is what the restore changes', async () => {
    const { service, id } = await changedStore();
    const shown = await show(service, id);
    const restored = await restore(service, id, ['store', 'blog', 'settings', 'endpoints']);

    expect(shown.restoring).toEqual({
      store: {
        changed: [
          { path: 'name', from: 'New', to: 'Old' },
          { path: 'settings.description', from: null, to: 'D' },
          { path: 'settings.tax.rateBp', from: 2, to: 1 },
        ],
        slugTaken: false,
      },
      settings: { changed: [{ path: 'discovery.summary', from: 'New', to: 'Old' }] },
      blog: { removed: 3, returned: 0 },
      endpoints: { removed: 1, returned: 0 },
    });
    const { store, settings, blog, endpoints } = restored.body.sections;
    const paths = (changes: readonly { readonly path: string }[]) => changes.map(({ path }) => path);
    expect(paths(shown.restoring.store.changed)).toEqual(store.changed);
    expect(paths(shown.restoring.settings.changed)).toEqual(settings.changed);
    expect(shown.restoring).toMatchObject({ blog, endpoints });
    const again = await show(service, id);
    expect(again.restoring).toEqual({
      store: { changed: [], slugTaken: false },
      settings: { changed: [] },
      blog: { removed: 0, returned: 0 },
      endpoints: { removed: 0, returned: 0 },
    });
    const back = await show(service, restored.body.preRestoreBackupId);
    expect(back).toMatchObject({
      automatic: true,
      restoring: { blog: { removed: 0, returned: 3 }, endpoints: { removed: 0, returned: 1 } },
    });
  });

  test('it says so of its sections only', async () => {
    const { service, empty } = await changedStore();

    expect((await show(service, empty)).restoring).toEqual({ endpoints: { removed: 1, returned: 0 } });
  });

  test('settings that were never saved are the defaults', async () => {
    const service = await openService();
    const id = await backUp(service, ['settings']);
    await service.call('settings.save', '', { mobilePrivacy: { hideRevenue: true } });

    expect((await show(service, id)).restoring).toEqual({
      settings: { changed: [{ path: 'mobilePrivacy.hideRevenue', from: true, to: false }] },
    });
  });

  test('values are shown to a key that may read them, names to any', async () => {
    const { service, id } = await changedStore();
    const { restoring: none } = await show(service, id, ['backups:read']);
    const { restoring: both } = await show(service, id, ['backups:read', 'store:read', 'settings:read']);
    const { restoring: one } = await show(service, id, ['backups:read', 'settings:read']);

    const paths = [{ path: 'name' }, { path: 'settings.description' }, { path: 'settings.tax.rateBp' }];
    expect(none.store.changed).toEqual(paths);
    expect(none.settings.changed).toEqual([{ path: 'discovery.summary' }]);
    expect(both).toEqual((await show(service, id)).restoring);
    expect(one).toMatchObject({ store: none.store, settings: both.settings });
  });

  test('a slug that another store has taken is said before the restore is refused', async () => {
    const { service, id } = await changedStore();
    const slug = `mine-${service.storeId.slice(0, 8)}`;
    const { slug: first } = service.store;
    await service.call('store.update', '', { slug });
    expect((await show(service, id)).restoring.store.slugTaken).toBe(false);
    const other = await openService({ storage: service.storage });
    await other.call('store.update', '', { slug: first });

    const { store } = (await show(service, id)).restoring;
    expect(store.slugTaken).toBe(true);
    expect(store.changed).toContainEqual({ path: 'slug', from: slug, to: first });
    expect(await restore(service, id, ['store'])).toMatchObject({
      status: 409,
      body: { code: 'slug_taken' },
    });
  });

  test('one of another store is not found', async () => {
    const { service, id } = await changedStore();
    const other = await openService({ storage: service.storage });

    expect((await read(other, 'backup.show', {}, { target: id })).status).toBe(404);
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

test('an unusable query is refused before anything is read, and after the scope', async () => {
  const service = await openService();
  const { key } = await createKey(service.storage, { storeId: service.storeId, scopes: [] });

  expect((await read(service, 'backup.list', { nope: 1 }, { key })).status).toBe(403);
  await expectFaults(service, 'store.update', [[{ nope: 1 }, ['/nope unknown_field']]]);
});
