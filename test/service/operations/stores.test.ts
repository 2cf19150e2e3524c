import { expect, test } from 'vitest';
import { createKey, createStore } from '../../../src/service/index.ts';
import { expectFaults, listEvents, openService } from '../helpers/service.ts';

test('a patch merges objects, replaces the rest and answers the whole store', async () => {
  const service = await openService();
  await service.call('store.update', '', {
    settings: { socials: { mastodon: 'https://social.example/@shop' }, description: 'Old' },
  });

  const answer = await service.call('store.update', '', {
    name: 'New name',
    defaultCurrency: 'USD',
    settings: {
      cashbackBp: 250,
      description: null,
      checkout: { couponField: true },
      socials: { discord: 'https://discord.gg/x' },
    },
  });

  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    ...service.store,
    name: 'New name',
    defaultCurrency: 'USD',
    settings: {
      ...service.store.settings,
      cashbackBp: 250,
      checkout: { ...service.store.settings.checkout, couponField: true },
      socials: { mastodon: 'https://social.example/@shop', discord: 'https://discord.gg/x' },
    },
  });
  expect(Object.keys(answer.body).sort()).toEqual(
    'createdAt defaultCurrency id name organisationId settings slug status timezone url'.split(' '),
  );
});

test('social profiles can have any name', async () => {
  const service = await openService();
  const names = ['my.site', '日本', 'Order Paid', 'a/b', '0', 'toString', '😀'.repeat(64)];
  const socials = Object.fromEntries(names.map((name) => [name, 'https://x.example']));
  const answer = await service.call('store.update', '', { settings: { socials } });
  expect(answer.body.settings.socials).toEqual(socials);
});

test('null takes a social profile away', async () => {
  const service = await openService();
  const socials = { a: 'https://a.example', b: 'https://b.example' };
  await service.call('store.update', '', { settings: { socials } });
  const answer = await service.call('store.update', '', { settings: { socials: { a: null } } });
  expect(answer.body.settings.socials).toEqual({ b: 'https://b.example' });
});

test('the event has the changed paths, and no change means no event', async () => {
  const service = await openService();
  const patch = { name: 'Other', settings: { tax: { rateBp: 700 }, liveStatsDefault: false } };
  await service.call('store.update', '', patch);
  const again = await service.call('store.update', '', patch);
  expect(again.status).toBe(200);
  expect(await listEvents(service)).toEqual([
    { type: 'store_updated', data: { changed: ['name', 'settings.tax.rateBp'] } },
  ]);
});

test('If-Match refuses a change of a store that has changed meanwhile', async () => {
  const service = await openService();
  const first = await service.call('store.update', '', { name: 'One' });
  const headers = { 'if-match': first.headers.get('etag') ?? '' };
  expect((await service.call('store.update', '', { name: 'Two' }, { headers })).status).toBe(200);
  const stale = await service.call('store.update', '', { name: 'Three' }, { headers });
  expect(stale).toMatchObject({ status: 412, body: { code: 'stale' } });
  const any = await service.call('store.update', '', { slug: 'two' }, { headers: { 'if-match': '*' } });
  expect(any.body).toMatchObject({ name: 'Two', slug: 'two' });
});

test('the ETag of a change is accepted by the next one, whatever the order of its members', async () => {
  const service = await openService();
  const socials = { z: 'https://z.example', 1: 'https://one.example' };
  const settings = { tax: { rateBp: 700 }, socials, checkout: { termsUrl: 'https://terms.example' } };
  const first = await service.call('store.update', '', { settings, name: 'First' });
  const headers = { 'if-match': first.headers.get('etag') ?? '' };
  const more = { settings: { socials: { 0: 'https://zero.example', z: null }, supportEmail: null } };
  const second = await service.call('store.update', '', more, { headers });
  expect(second.status).toBe(200);
  const again = { 'if-match': second.headers.get('etag') ?? '' };
  expect((await service.call('store.update', '', { name: 'Last' }, { headers: again })).status).toBe(200);
});

test('invalid fields of a patch', async () => {
  const service = await openService();
  await expectFaults(service, 'store.update', [
    [{}, [' empty']],
    [{ settings: { checkout: {} } }, ['/settings/checkout empty']],
    [
      { id: 'x', organisationId: 'x', status: 'open', url: 'x', createdAt: 'x' },
      ['/createdAt', '/id', '/organisationId', '/status', '/url'].map((pointer) => `${pointer} read_only`),
    ],
    [{ name: null, colour: 'red' }, ['/colour unknown_field', '/name invalid_type']],
    [{ name: '', slug: 'Not a slug' }, ['/name too_short', '/slug invalid_format']],
    [{ name: '😀'.repeat(121) }, ['/name too_long']],
    [
      { defaultCurrency: 'EURO', timezone: 'Mars/Olympus' },
      ['/defaultCurrency invalid_format', '/timezone invalid_format'],
    ],
    ...['xn--80ak6aa92e', 'ab--c', 'www', 'api', 'localhost', '-a', 'a-'].map((slug): [object, string[]] => [
      { slug },
      ['/slug invalid_format'],
    ]),
    ...['javascript:alert(1)', ' JavaScript:x', 'data:text/html,x', 'https:x', 'https://a b'].map(
      (x): [object, string[]] => [{ settings: { socials: { x } } }, ['/settings/socials/x invalid_format']],
    ),
    [{ timezone: '+01:00' }, ['/timezone invalid_format']],
    [
      { settings: { cashbackBp: 10_001, tax: { rateBp: -1 }, brandColor: 'red', logoImageId: '1' } },
      [
        '/settings/brandColor invalid_format',
        '/settings/cashbackBp too_big',
        '/settings/logoImageId invalid_format',
        '/settings/tax/rateBp too_small',
      ],
    ],
    [{ settings: { cashbackBp: 2.5 } }, ['/settings/cashbackBp invalid_type']],
    [{ settings: { cashbackCapMinor: 2 ** 53 } }, ['/settings/cashbackCapMinor too_big']],
    [
      {
        settings: {
          discordUrl: 'javascript:alert(1)',
          socials: { 'a/b~c': 1, 'a\nb': 'https://x.example' },
        },
      },
      [
        '/settings/discordUrl invalid_format',
        '/settings/socials/a\nb invalid_name',
        '/settings/socials/a~1b~0c invalid_type',
      ],
    ],
    ...['https:example.com', ' https://example.com', 'https://exa\nmple.com', 'https://'].map(
      (discordUrl): [object, string[]] => [
        { settings: { discordUrl } },
        ['/settings/discordUrl invalid_format'],
      ],
    ),
    [
      { settings: { supportEmail: 'nobody', checkout: { termsUrl: 'ftp://x', foo: 1 } } },
      [
        '/settings/checkout/foo unknown_field',
        '/settings/checkout/termsUrl invalid_format',
        '/settings/supportEmail invalid_format',
      ],
    ],
  ]);
  expect(await listEvents(service)).toEqual([]);
});

test('a social profile is a handle or a URL, and a slug may have two hyphens elsewhere', async () => {
  const service = await openService();
  const socials = { a: '@shop', b: 'shop.example', c: '@me:matrix.example', d: 'http://x.example/y', e: '' };
  const answer = await service.call('store.update', '', { slug: 'b--store', settings: { socials } });
  expect(answer.body).toMatchObject({ slug: 'b--store', settings: { socials } });
});

test('the slug of another store is taken', async () => {
  const service = await openService();
  await createStore(service.storage, { name: 'Paper & Ink' });
  const answer = await service.call('store.update', '', { name: 'Moved', slug: 'paper-ink' });
  expect(answer).toMatchObject({ status: 409, body: { code: 'slug_taken' } });
  const after = await service.call('store.update', '', { slug: 'free' });
  expect(after.body).toMatchObject({ name: 'Test Store', slug: 'free' });
});

test('a new store has the given fields and defaults for the rest', async () => {
  const { storage } = await openService();
  const id = '11111111-2222-4333-8444-555555555555';
  expect(await createStore(storage, { id, name: 'Café Zoë', currency: 'CHF' })).toMatchObject({
    id,
    name: 'Café Zoë',
    slug: 'cafe-zoe',
    status: 'setup',
    defaultCurrency: 'CHF',
    timezone: 'UTC',
  });
  await expect(createStore(storage, { id, name: 'Again' })).rejects.toMatchObject({ code: 'duplicate' });
  await expect(createStore(storage, { name: 'Café Zoë' })).rejects.toMatchObject({ code: 'slug_taken' });
  await expect(createStore(storage, { name: 'X', currency: '€' })).rejects.toMatchObject({
    code: 'validation_failed',
  });
  for (const name of ['文具', 'WWW'])
    expect((await createStore(storage, { name })).slug).toMatch(/^store-[0-9a-f]{12}$/);
  const orphan = createKey(storage, { storeId: 'none', preset: 'owner' });
  await expect(orphan).rejects.toMatchObject({ code: 'not_found' });
});

test('the tag of a store is another one after each change, also back to what it was, and after a restore', async () => {
  const service = await openService();
  const rename = async (name: string, headers = {}) =>
    service.call('store.update', '', { name }, { headers });
  const tags = [];
  const backup = { label: 'x', sections: ['store'], idempotencyKey: 'b' };
  const read = await rename('A');
  const { id } = (await service.call('backup.create', '', backup)).body;
  for (const name of ['B', 'A']) tags.push((await rename(name)).headers.get('etag'));
  expect((await rename('A')).headers.get('etag')).toBe(tags[1]);
  await service.call('backup.restore', id, { sections: ['store'], idempotencyKey: 'r' });
  tags.push(read.headers.get('etag'), (await rename('A')).headers.get('etag'));

  expect(new Set(tags).size).toBe(4);
  for (const tag of tags.slice(0, 3)) {
    expect(await rename('C', { 'if-match': tag })).toMatchObject({ status: 412, body: { code: 'stale' } });
  }
  expect((await rename('C', { 'if-match': tags[3] })).status).toBe(200);
});
