import { expect, test } from 'vitest';
import { prune } from '../../../src/service/admin/prune.ts';
import { createId } from '../../../src/service/model/ids.ts';
import { findAllPosts } from '../../../src/service/storage/queries/posts.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { expectFaults, faults, listEvents, openService, type Service } from '../helpers/service.ts';

const webhook = 'https://discord.com/api/webhooks/123/secret-token';
const all = ['store', 'blog', 'settings', 'endpoints'];

/** Creates content in every section. */
async function fill({ call }: Service) {
  await call('store.update', '', {
    name: 'Before',
    settings: { cashbackBp: 250, socials: { x: 'https://x.example' } },
  });
  await call('blog.create', '', { title: 'First', contentMd: 'one' });
  await call('blog.create', '', { title: 'Second', contentMd: 'two', tags: ['a'] });
  await call('settings.save', '', { discovery: { enabled: true, summary: 'Before' } });
  const endpoint = { kind: 'discord', name: 'Team', url: webhook, events: ['post_created'] };
  return (await call('notify.add-endpoint', '', endpoint)).body;
}

async function backUp({ call }: Service, sections: readonly string[], key = createId()): Promise<string> {
  const answer = await call('backup.create', '', { label: 'nightly', sections, idempotencyKey: key });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

function restore({ call }: Service, backupId: string, sections: readonly string[]) {
  return call('backup.restore', backupId, { sections, idempotencyKey: createId() });
}

/** All that a backup can hold, as the database has it. */
async function contents({ storage, storeId }: Service) {
  return storage.read(async (db) => ({
    store: await db
      .selectFrom('stores')
      .select(['name', 'slug', 'defaultCurrency', 'timezone', 'settings'])
      .where('id', '=', storeId)
      .execute()
      .then(parsed),
    blog: await findAllPosts({ db, storeId }),
    settings: await db
      .selectFrom('operationsSettings')
      .selectAll()
      .where('storeId', '=', storeId)
      .execute()
      .then(parsed),
    endpoints: await db
      .selectFrom('endpoints')
      .selectAll()
      .where('storeId', '=', storeId)
      .orderBy('id')
      .execute()
      // When it is due is not the endpoint's content.
      .then((rows) => rows.map((row) => ({ ...row, dueAt: null, dueSince: null }))),
  }));
}

test('a backup is answered with its sections as they were asked for', async () => {
  const service = await openService();
  const answer = await service.call('backup.create', '', {
    label: 'nightly',
    sections: ['settings', 'store'],
    idempotencyKey: 'b-1',
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    version: 1,
    label: 'nightly',
    sections: ['settings', 'store'],
    createdAt: '2030-03-01T12:00:00.000Z',
  });
  expect((await listEvents(service)).map((event) => event.type)).toEqual(['backup_created']);
});

test('a restore restores everything, and its pre-restore backup undoes it', async () => {
  const service = await openService();
  await fill(service);
  const before = await contents(service);
  const backupId = await backUp(service, all);

  await service.call('store.update', '', {
    name: 'After',
    slug: 'after',
    settings: { cashbackBp: 0, socials: { x: null } },
  });
  await service.call('blog.create', '', { title: 'Third', contentMd: 'three' });
  await service.call('settings.save', '', {});
  const other = { kind: 'discord', name: 'B', url: `${webhook}2`, events: ['post_created'] };
  await service.call('notify.add-endpoint', '', other);
  const after = await contents(service);

  const answer = await restore(service, backupId, all);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    backupId,
    preRestoreBackupId: expect.any(String),
    sections: {
      store: { changed: ['name', 'slug', 'settings.cashbackBp', 'settings.socials.x'] },
      blog: { removed: 1, returned: 0 },
      settings: { changed: ['discovery.enabled', 'discovery.summary'] },
      endpoints: { removed: 1, returned: 0 },
    },
  });
  expect(await contents(service)).toEqual(before);

  expect((await restore(service, answer.body.preRestoreBackupId, all)).body.sections).toMatchObject({
    blog: { removed: 0, returned: 1 },
    endpoints: { removed: 0, returned: 1 },
  });
  expect(await contents(service)).toEqual(after);
});

test('an endpoint that a restore has removed comes back with its secret URL, which is in no backup', async () => {
  const service = await openService();
  const empty = await backUp(service, ['endpoints']);
  const endpoint = { kind: 'discord', name: 'A', url: webhook, events: ['post_created'] };
  await service.call('notify.add-endpoint', '', endpoint);
  const before = await contents(service);

  const removed = await restore(service, empty, ['endpoints']);
  // The URL is free again.
  expect((await service.call('notify.add-endpoint', '', { ...endpoint, name: 'B' })).status).toBe(201);
  expect((await restore(service, removed.body.preRestoreBackupId, ['endpoints'])).status).toBe(200);

  expect((await contents(service)).endpoints).toEqual(before.endpoints);
  expect(await rowsOf(service, 'removedEndpoints', 'secretUrl')).toEqual([{ secretUrl: webhook }]);
});

test('restores to and fro show the posts of each backup, and write no post', async () => {
  const service = await openService();
  const { call } = service;
  const create = (title: string) => call('blog.create', '', { title, contentMd: title });
  const titles = async () => (await contents(service)).blog.map(({ title }) => title);
  const none = await backUp(service, ['blog']);
  await create('A');
  await create('B');
  const two = await backUp(service, ['blog']);
  await create('C');
  const three = await backUp(service, ['blog']);

  const toNone = await restore(service, none, ['blog']);
  expect(toNone.body.sections.blog).toEqual({ removed: 3, returned: 0 });
  expect(await titles()).toEqual([]);
  await create('D');
  expect((await restore(service, two, ['blog'])).body.sections.blog).toEqual({ removed: 1, returned: 2 });
  expect(await titles()).toEqual(['A', 'B']);
  await create('E');
  expect((await restore(service, three, ['blog'])).body.sections.blog).toEqual({ removed: 1, returned: 1 });
  expect(await titles()).toEqual(['A', 'B', 'C']);
  expect((await restore(service, three, ['blog'])).body.sections.blog).toEqual({ removed: 0, returned: 0 });
  expect((await restore(service, toNone.body.preRestoreBackupId, ['blog'])).status).toBe(200);
  expect(await titles()).toEqual(['A', 'B', 'C']);
  const rows = await rowsOf(service, 'posts', 'title');
  expect(rows.map(({ title }) => title)).toEqual(['A', 'B', 'C', 'D', 'E']);
});

test('a slug is taken by posts that the store shows, and by no others', async () => {
  const service = await openService();
  const create = () => service.call('blog.create', '', { title: 'Same', contentMd: '' });
  const empty = await backUp(service, ['blog']);
  const { body: first } = await create();
  expect(await create()).toMatchObject({ status: 409, body: { code: 'slug_taken' } });
  const one = await backUp(service, ['blog']);
  await restore(service, empty, ['blog']);
  expect((await create()).status).toBe(201);
  expect((await create()).status).toBe(409);
  await restore(service, one, ['blog']);
  expect((await contents(service)).blog.map(({ id }) => id)).toEqual([first.id]);
  expect((await create()).status).toBe(409);
});

test('prune removes posts that neither the store nor a backup has, and the newest keeps its position', async () => {
  const service = await openService();
  const { storage } = service;
  const create = (title: string) => service.call('blog.create', '', { title, contentMd: '' });
  const positions = async () => {
    await prune(storage, { retentionDays: 90 });
    return (await rowsOf(service, 'posts', 'position')).map(({ position }) => position);
  };
  const empty = await backUp(service, ['blog']);
  await create('A');
  const withA = await backUp(service, ['blog']);
  await create('B');
  await create('C');
  const { body } = await restore(service, empty, ['blog']);
  expect(await positions()).toEqual([1, 2, 3]);
  const removeBackup = (id: string) =>
    storage.write((db) => db.deleteFrom('backups').where('id', '=', id).execute());
  await removeBackup(body.preRestoreBackupId);
  expect(await positions()).toEqual([1, 3]);
  await create('D');
  expect(await positions()).toEqual([1, 4]);
  await restore(service, withA, ['blog']);
  expect((await contents(service)).blog).toMatchObject([{ title: 'A' }]);
  expect(await positions()).toEqual([1, 4]);
});

test.each(all)('restoring %s leaves the other sections alone', async (section) => {
  const service = await openService();
  await fill(service);
  const before = await contents(service);
  const backupId = await backUp(service, all);
  await service.call('store.update', '', { name: 'After' });
  await service.call('blog.create', '', { title: 'Third', contentMd: 'three' });
  await service.call('settings.save', '', {});
  await service.call('notify.add-endpoint', '', {
    kind: 'discord',
    name: 'B',
    url: `${webhook}2`,
    events: ['post_created'],
  });
  const after = await contents(service);

  expect((await restore(service, backupId, [section])).status).toBe(200);
  expect(await contents(service)).toEqual({ ...after, [section]: before[section as keyof typeof before] });
});

test('settings that were not saved are restored to not saved', async () => {
  const service = await openService();
  const backupId = await backUp(service, ['settings']);
  await service.call('settings.save', '', { showcase: { enabled: true } });
  const { body } = await restore(service, backupId, ['settings']);
  expect(body.sections.settings).toEqual({ changed: ['showcase.enabled'] });
  expect((await contents(service)).settings).toEqual([]);
});

test('a section that the backup lacks is refused, and nothing changes', async () => {
  const service = await openService();
  await fill(service);
  const backupId = await backUp(service, ['store']);
  await service.call('store.update', '', { name: 'After' });
  const before = await everyRow(service);
  const answer = await restore(service, backupId, ['store', 'blog', 'settings']);
  expect(faults(answer)).toEqual(['/sections/1 not_in_backup', '/sections/2 not_in_backup']);
  expect(await everyRow(service)).toEqual(before);
});

test('a slug that another store has taken meanwhile refuses the whole restore', async () => {
  const service = await openService();
  await service.call('store.update', '', { slug: 'wanted' });
  const backupId = await backUp(service, all);
  await service.call('store.update', '', { slug: 'moved' });
  const other = await openService({ storage: service.storage });
  await other.call('store.update', '', { slug: 'wanted' });
  const before = await everyRow(service);
  const answer = await restore(service, backupId, ['blog', 'store']);
  expect(answer).toMatchObject({ status: 409, body: { code: 'slug_taken' } });
  expect(await everyRow(service)).toEqual(before);
});

test('the pre-restore backup has the label of the backup in its own, truncated between characters', async () => {
  const service = await openService();
  const label = `x${'😀'.repeat(119)}`;
  const backup = { label, sections: ['store'], idempotencyKey: 'k' };
  const { id } = (await service.call('backup.create', '', backup)).body;
  await restore(service, id, ['store']);
  const [, before] = await rowsOf(service, 'backups', 'id', 'label');
  expect(before?.label).toBe(`Automatic backup before restore of x${'😀'.repeat(84)}`);
});

test('a backup holds no key and no webhook secret', async () => {
  const service = await openService();
  await fill(service);
  await backUp(service, all);
  const rows = await service.storage.read((db) => db.selectFrom('backups').selectAll().execute());
  const text = JSON.stringify(rows);
  expect(text).toContain('https://discord.com/api/webhooks/123/***');
  expect(text).not.toContain('secret-token');
  expect(text).not.toContain(service.key);
});

test('invalid fields of a backup', async () => {
  const service = await openService();
  await expectFaults(service, 'backup.create', [
    [{}, ['/idempotencyKey required', '/label required', '/sections required']],
    [{ label: '', sections: [], idempotencyKey: 'k' }, ['/label too_short', '/sections too_small']],
    [
      { label: 'x'.repeat(121), sections: ['store', 'disputes', 'store'], idempotencyKey: 'a b', note: '' },
      [
        '/idempotencyKey invalid_format',
        '/label too_long',
        '/note unknown_field',
        '/sections/1 invalid_value',
      ],
    ],
    [{ label: 'x', sections: ['store', 'store'], idempotencyKey: 'k' }, ['/sections/1 duplicate']],
  ]);
});

test('a restore needs sections and an existing backup', async () => {
  const service = await openService();
  const backupId = await backUp(service, ['store']);
  const empty = await service.call('backup.restore', backupId, {});
  expect(faults(empty)).toEqual(['/idempotencyKey required', '/sections required']);
  const absent = await restore(service, createId(), ['store']);
  expect(absent).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

/** The order of members does not matter. */
function parsed(rows: readonly object[]) {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        /^(?:settings|document)$/.test(name) ? JSON.parse(value) : value,
      ]),
    ),
  );
}

async function everyRow(service: Service) {
  return {
    ...(await contents(service)),
    ...(await service.storage.read(async (db) => ({
      backups: await db.selectFrom('backups').selectAll().orderBy('id').execute(),
      events: await db.selectFrom('events').selectAll().orderBy('id').execute(),
      keys: await db.selectFrom('idempotencyKeys').selectAll().orderBy('key').execute(),
    }))),
  };
}

test('a word that is no section is repeated, and what may be a secret is not', async () => {
  const { call } = await openService();
  const detailOf = async (sections: unknown) => {
    const body = { label: 'nightly', sections, idempotencyKey: createId() };
    return (await call('backup.create', '', body)).body.errors[0].detail;
  };

  expect(await detailOf(['store', 'shop'])).toBe(
    'must be one of store, blog, settings, endpoints (got "shop")',
  );
  expect(await detailOf([webhook])).toBe(
    'must be one of store, blog, settings, endpoints (got a longer text)',
  );
  expect(await detailOf('shop')).toBe('must be a list');
});
