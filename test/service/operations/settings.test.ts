import { expect, test } from 'vitest';
import { expectFaults, listEvents, openService } from '../helpers/service.ts';

const defaults = {
  quietHours: { enabled: false, start: '22:00', end: '07:00', timezone: 'UTC' },
  templates: {},
  discovery: { enabled: false, summary: '', categories: [] },
  showcase: { enabled: false, allowCritique: false, summary: '' },
  mobilePrivacy: { hideRevenue: false, hideOrderValues: false, requireUnlock: false },
};

test('settings that were never saved are the defaults', async () => {
  const service = await openService();
  const answer = await service.call('settings.show', '');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('etag')).toMatch(/^"[0-9a-f]+"$/);
  expect(answer.body).toEqual({
    ...defaults,
    storeId: service.storeId,
    env: 'live',
    updatedAt: service.store.createdAt,
  });
});

test('saving replaces the document: what is left out has its default', async () => {
  const service = await openService();
  const full = {
    quietHours: { enabled: true, start: '23:30', end: '06:00', timezone: 'America/New_York' },
    templates: { feedback_digest: { title: 'Digest', body: '{{summary}}', private: true } },
    discovery: { enabled: true, summary: 'We sell', categories: ['ink'] },
    showcase: { enabled: true, allowCritique: true, summary: 'Look' },
    mobilePrivacy: { hideRevenue: true, hideOrderValues: true, requireUnlock: true },
  };
  const saved = await service.call('settings.save', '', full);
  expect(saved.status).toBe(200);
  expect(saved.body).toEqual({
    ...full,
    storeId: service.storeId,
    env: 'live',
    updatedAt: '2030-03-01T12:00:00.000Z',
  });

  await service.call('settings.save', '', {
    discovery: { enabled: true },
    templates: { my_own: { title: 'T' } },
    showcase: null,
  });
  expect((await service.call('settings.show', '')).body).toMatchObject({
    ...defaults,
    discovery: { enabled: true, summary: '', categories: [] },
    templates: { my_own: { title: 'T', body: '', private: false } },
  });
});

test('templates can have any name', async () => {
  const service = await openService();
  const names = ['my.site', '日本', 'Order Paid', 'x'.repeat(64)];
  const templates = Object.fromEntries(
    names.map((name) => [name, { title: name, body: '', private: false }]),
  );
  await service.call('settings.save', '', { templates });
  expect((await service.call('settings.show', '')).body.templates).toEqual(templates);
});

test('sending back a document that was read changes nothing', async () => {
  const service = await openService();
  await service.call('settings.save', '', { discovery: { summary: 'Hello' } });
  const read = await service.call('settings.show', '');
  service.clock.now += 1000;
  const again = await service.call('settings.save', '', read.body);
  expect(again.body).toEqual(read.body);
  expect(again.headers.get('etag')).toBe(read.headers.get('etag'));
  expect(await listEvents(service)).toEqual([{ type: 'settings_updated', data: { changed: ['discovery'] } }]);
});

test('If-Match stops the second of two editors', async () => {
  const service = await openService();
  const etag = (await service.call('settings.show', '')).headers.get('etag') ?? '';
  const headers = { 'if-match': `"other", ${etag}` };
  const first = await service.call('settings.save', '', { discovery: { enabled: true } }, { headers });
  expect(first.status).toBe(200);
  const second = await service.call('settings.save', '', { showcase: { enabled: true } }, { headers });
  expect(second).toMatchObject({ status: 412, body: { code: 'stale' } });
  expect((await service.call('settings.show', '')).body).toEqual(first.body);
});

test('the ETag of a change is the same as of the next read, whatever the order of its members', async () => {
  const service = await openService();
  const { headers, body } = await service.call('settings.save', '', {
    showcase: { summary: 'x', enabled: true },
    templates: { b: { private: true, body: 'B', title: 'b' }, 1: { title: 'one' } },
    quietHours: { timezone: 'Europe/Berlin', end: '06:00', enabled: true },
  });
  const read = await service.call('settings.show', '');
  expect(read.body).toEqual(body);
  expect(read.headers.get('etag')).toBe(headers.get('etag'));
});

test('invalid fields of the settings', async () => {
  const service = await openService();
  await expectFaults(service, 'settings.save', [
    [{ surprise: 1 }, ['/surprise unknown_field']],
    [
      { quietHours: { enabled: 'yes', start: '24:00', end: '7:00', timezone: 'Nowhere', days: [] } },
      [
        '/quietHours/days unknown_field',
        '/quietHours/enabled invalid_type',
        '/quietHours/end invalid_format',
        '/quietHours/start invalid_format',
        '/quietHours/timezone invalid_format',
      ],
    ],
    [
      { templates: { feedback_digest: { title: 'x'.repeat(257), body: null } } },
      ['/templates/feedback_digest/body invalid_type', '/templates/feedback_digest/title too_long'],
    ],
    [{ templates: { '': {} } }, ['/templates/ invalid_name']],
    [{ templates: { ['x'.repeat(65)]: {} } }, [`/templates/${'x'.repeat(65)} invalid_name`]],
    [{ templates: { 'a\u007f': {} } }, ['/templates/a\u007f invalid_name']],
    [
      { discovery: { categories: ['a', 'a'], summary: 'x'.repeat(501) } },
      ['/discovery/categories/1 duplicate', '/discovery/summary too_long'],
    ],
    [{ mobilePrivacy: [] }, ['/mobilePrivacy invalid_type']],
  ]);
});
