import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { sha256 as sha256Of } from '../../../src/base/sha256.ts';
import { describeStore } from '../../../src/service/admin/example-store.ts';
import { prune } from '../../../src/service/admin/prune.ts';
import { canonicalJson } from '../../../src/service/model/canonical-json.ts';
import { createId } from '../../../src/service/model/ids.ts';
import { timestamp } from '../../../src/service/model/time.ts';
import type { Storage } from '../../../src/service/storage/core/storage.ts';
import { replacePosts } from '../../../src/service/storage/queries/posts.ts';
import {
  faults,
  listEvents,
  newDatabase,
  openTestStorage,
  type Service,
  startService,
  temporaryFile,
} from '../helpers/service.ts';

const webhook = 'https://discord.com/api/webhooks/123/secret-token';
const all = ['store', 'blog', 'settings', 'endpoints'];

/** Each that JSON or an engine could escape. */
const everyCharacter = `${String.fromCharCode(...Array.from({ length: 0x2ff }, (_, index) => index + 1))}\u2028\u2029\ufeff\uffff\u{10ffff}`;

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
    store: await db.selectFrom('stores').selectAll().where('id', '=', storeId).execute().then(parsed),
    blog: await db.selectFrom('posts').selectAll().where('storeId', '=', storeId).orderBy('id').execute(),
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
      .then((rows) => rows.map((row) => ({ ...row, dueAt: null }))),
  }));
}

test('a backup is answered with its sections as they were asked for', async () => {
  const service = await startService();
  const answer = await service.call('backup.create', '', {
    label: 'nightly',
    sections: ['settings', 'store'],
    idempotencyKey: 'b-1',
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    version: 2,
    label: 'nightly',
    sections: ['settings', 'store'],
    createdAt: '2030-03-01T12:00:00.000Z',
  });
  expect((await listEvents(service)).map((event) => event.type)).toEqual(['backup_created']);
});

test('a restore restores everything, and its pre-restore backup undoes it', async () => {
  const service = await startService();
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
    sections: Object.fromEntries(
      [1, 2, 1, 1].map((count, index) => [
        all[index],
        { count, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ]),
    ),
  });
  expect(await contents(service)).toEqual(before);

  expect((await restore(service, answer.body.preRestoreBackupId, all)).status).toBe(200);
  expect(await contents(service)).toEqual(after);
});

test('an endpoint that a restore has removed comes back with its secret URL, which is in no backup', async () => {
  const service = await startService();
  const empty = await backUp(service, ['endpoints']);
  const endpoint = { kind: 'discord', name: 'A', url: webhook, events: ['post_created'] };
  await service.call('notify.add-endpoint', '', endpoint);
  const before = await contents(service);

  const removed = await restore(service, empty, ['endpoints']);
  // The URL is free again.
  expect((await service.call('notify.add-endpoint', '', { ...endpoint, name: 'B' })).status).toBe(201);
  expect((await restore(service, removed.body.preRestoreBackupId, ['endpoints'])).status).toBe(200);

  expect((await contents(service)).endpoints).toEqual(before.endpoints);
  const kept = await service.storage.read((db) =>
    db.selectFrom('removedEndpoints').select('secretUrl').where('storeId', '=', service.storeId).execute(),
  );
  expect(kept).toEqual([{ secretUrl: webhook }]);
});

test('a blog of many posts, small and large, is restored as it was', async () => {
  const service = await startService();
  const { body: first } = await service.call('blog.create', '', { title: 'First', contentMd: 'one' });
  const texts = ['plain', 'it\'s "quoted" \\n {a,b}', 'two\nlines\t', '日本語 😀', '', everyCharacter];
  await service.inStore(async (work) => {
    const { effectiveStatus: _, coverUrl: __, coverImageUrl: ___, ...post } = first;
    const posts = Array.from({ length: 1_100 }, (_, index) => ({
      ...post,
      id: createId(),
      slug: `post-${index}`,
      contentMd: index < 30 ? 'x'.repeat(200_000) : (texts[index % texts.length] ?? ''),
      tags: index % 2 === 0 ? ['a', '"', everyCharacter] : [],
      excerpt: index % 3 === 0 ? null : 'null',
      viewCount: index,
    }));
    await replacePosts(work, [JSON.stringify(posts)]);
  });
  const before = await contents(service);
  const backupId = await backUp(service, ['blog']);
  // Whichever engine or version made a section, its digest is that of its canonical JSON.
  const { sha256, payloads } = await service.storage.read(async (db) => ({
    ...(await db.selectFrom('backupSections').select('sha256').executeTakeFirstOrThrow()),
    payloads: await db.selectFrom('backupChunks').select('payload').orderBy('position').execute(),
  }));
  const items = payloads.flatMap(({ payload }) => JSON.parse(`[${payload}]`));
  expect(sha256).toBe(sha256Of(canonicalJson(items)));

  await service.inStore((work) => replacePosts(work, []));
  expect((await restore(service, backupId, ['blog'])).body.sections.blog.count).toBe(1_100);
  expect(await contents(service)).toEqual(before);
});

test('a restore writes no posts but those after which the backup and the store differ', async () => {
  const service = await startService();
  const { storage } = service;
  const other = await startService({ storage });
  const { body: first } = await service.call('blog.create', '', { title: 'First', contentMd: 'one' });
  const { effectiveStatus: _, coverUrl: __, coverImageUrl: ___, ...post } = first;
  const posts = Array.from({ length: 1_200 }, (_, index) => ({
    ...post,
    id: createId(),
    slug: `post-${index}`,
  }));
  await service.inStore((work) => replacePosts(work, [JSON.stringify(posts)]));
  const before = await contents(service);
  const backupId = await backUp(service, ['blog']);
  const slugs = (from: number) => posts.slice(from).map(({ slug }) => slug);
  const change = (slug: string) =>
    storage.write((db) => db.updateTable('posts').set({ title: 'Other' }).where('slug', '=', slug).execute());
  const remove = (slug: string) =>
    storage.write((db) => db.deleteFrom('posts').where('slug', '=', slug).execute());

  for (const [damage, from] of [
    [async () => {}, 1_000],
    [() => service.call('blog.create', '', { title: 'New', contentMd: '' }), 1_000],
    [() => remove('post-1199'), 1_000],
    [() => change('post-700'), 500],
    [() => remove('post-3'), 0],
    [() => service.inStore((work) => replacePosts(work, [])), 0],
  ] as const) {
    await damage();
    const written = await recordWritten(other);
    const answer = await restore(service, backupId, ['blog']);
    expect(answer.body.sections.blog.count).toBe(1_200);
    expect(await contents(service)).toEqual(before);
    expect(slugs(from)).toEqual(expect.arrayContaining(await written()));
  }
});

test.each(all)('restoring %s leaves the other sections alone', async (section) => {
  const service = await startService();
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
  const service = await startService();
  const backupId = await backUp(service, ['settings']);
  await service.call('settings.save', '', { showcase: { enabled: true } });
  expect((await restore(service, backupId, ['settings'])).body.sections.settings.count).toBe(0);
  expect((await contents(service)).settings).toEqual([]);
});

test('a section that the backup lacks is refused, and nothing changes', async () => {
  const service = await startService();
  await fill(service);
  const backupId = await backUp(service, ['store']);
  await service.call('store.update', '', { name: 'After' });
  const before = await everyRow(service);
  const answer = await restore(service, backupId, ['store', 'blog', 'settings']);
  expect(faults(answer)).toEqual(['/sections/1 not_in_backup', '/sections/2 not_in_backup']);
  expect(await everyRow(service)).toEqual(before);
});

test.each([
  ['digest', { sha256: '0'.repeat(64) }],
  ['count', { itemCount: 7 }],
  ['schema version', { schemaVersion: 2 }],
])('a backup whose %s was tampered with is refused, and nothing changes', async (_, change) => {
  const service = await startService();
  await fill(service);
  const backupId = await backUp(service, all);
  await service.call('store.update', '', { name: 'After' });
  await service.storage.write((db) =>
    db
      .updateTable('backupSections')
      .set(change)
      .where('backupId', '=', backupId)
      .where('name', '=', 'blog')
      .execute(),
  );
  const before = await everyRow(service);
  const answer = await restore(service, backupId, ['store', 'blog']);
  expect(answer).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  expect(await everyRow(service)).toEqual(before);
  expect((await restore(service, backupId, ['store'])).status).toBe(200);
});

test('a backup whose content was tampered with is refused, and nothing changes', async () => {
  const service = await startService();
  await fill(service);
  const backupId = await backUp(service, all);
  await service.storage.write(async (db) => {
    const one = db.updateTable('backupChunks').where('backupId', '=', backupId);
    await one
      .set({ payload: sql`replace(payload, 'First', 'Worst')` })
      .where('section', '=', 'blog')
      .execute();
    await db.deleteFrom('backupChunks').where('section', '=', 'endpoints').execute();
  });
  await service.call('store.update', '', { name: 'After' });
  const before = await everyRow(service);
  for (const section of ['blog', 'endpoints']) {
    const answer = await restore(service, backupId, ['store', section]);
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'state_conflict', detail: expect.stringContaining(section) },
    });
  }
  expect(await everyRow(service)).toEqual(before);
});

test('a backup of format version 1, which has no chunks, can be restored', async () => {
  const service = await startService();
  await fill(service);
  const before = await contents(service);
  const backupId = await backUp(service, all);
  await service.storage.write(async (db) => {
    await db
      .updateTable('backupSections')
      .set({
        payload: sql`'[' || coalesce((select payload from backup_chunks as chunk
          where chunk.backup_id = backup_sections.backup_id and chunk.section = backup_sections.name), '') || ']'`,
      })
      .execute();
    await db.deleteFrom('backupChunks').execute();
    await db.updateTable('backups').set({ version: 1 }).execute();
  });
  await service.call('store.update', '', { name: 'After' });
  await service.call('blog.create', '', { title: 'Third', contentMd: 'three' });
  const answer = await restore(service, backupId, all);
  expect(answer).toMatchObject({ status: 200, body: { sections: { blog: { count: 2 } } } });
  expect(await contents(service)).toEqual(before);
});

test('a backup is stored in chunks of at most 512 KiB', async () => {
  const service = await startService();
  const contentMd = 'é'.repeat(100_000);
  for (let index = 0; index < 4; index++) {
    await service.call('blog.create', '', { title: `Post ${index}`, contentMd });
  }
  await backUp(service, ['blog']);
  const chunks = await service.storage.read((db) =>
    db.selectFrom('backupChunks').select(['itemCount', 'payload']).orderBy('position').execute(),
  );
  expect(chunks.map(({ itemCount }) => itemCount)).toEqual([2, 2]);
  for (const { payload } of chunks) expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(512 * 1024);
});

/** A store in a database that others can open, whose blog takes several chunks. */
async function startLargeStore() {
  const location = await newDatabase();
  const service = await startService({ storage: await openTestStorage(location) });
  for (let index = 0; index < 12; index++) {
    await service.call('blog.create', '', { title: `Post ${index}`, contentMd: 'x'.repeat(200_000) });
  }
  return { location, service };
}

test('changes of other stores are committed between the steps of a backup', async () => {
  const { location, service } = await startLargeStore();
  const other = await startService({ storage: service.storage });
  const onlooker = await openTestStorage(location);
  let isDone = false;
  const backup = backUp(service, ['blog']).finally(() => {
    isDone = true;
  });
  const seen: number[] = [];
  while (!isDone) {
    await other.call('store.update', '', { name: `Name ${seen.length}` });
    const chunks = await onlooker.read((db) =>
      db.selectFrom('backupChunks').select('position').where('storeId', '=', service.storeId).execute(),
    );
    seen.push(chunks.length);
  }
  await backup;
  expect(seen.length).toBeGreaterThan(2);
});

test('each store has one backup running at a time, and all stores together three', async () => {
  const storage = await openTestStorage();
  const running: string[] = [];
  let most = 0;
  const watched: Storage = {
    ...storage,
    forStore: (id) => ({
      ...storage.forStore(id),
      async writeLong(work) {
        expect(running).not.toContain(id);
        running.push(id);
        most = Math.max(most, running.length);
        const result = await storage.forStore(id).writeLong(work);
        running.splice(running.indexOf(id), 1);
        return result;
      },
    }),
  };
  const first = await startService({ storage: watched });
  const call = (id: string, key: string, idempotencyKey: string) =>
    first.send(
      'POST',
      `/v1/stores/${id}/operations/backups`,
      { label: 'nightly', sections: ['store'], idempotencyKey },
      { headers: { authorization: `Bearer ${key}` } },
    );
  const stores = [first];
  while (stores.length < 5) stores.push(await startService({ storage: watched }));
  const answers = await Promise.all(
    ['a', 'b'].flatMap((name) => stores.map(({ storeId, key }) => call(storeId, key, name))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
  expect(most).toBe(3);
});

test('a change of the store that a restore did not see is in the backup that it makes before', async () => {
  const location = await temporaryFile('service.db');
  const storage = await openTestStorage(location);
  let meanwhile = async () => {};
  const late: Storage = {
    ...storage,
    forStore: (id) => ({
      ...storage.forStore(id),
      writeLong: (work) =>
        storage
          .forStore(id)
          .writeLong((change) =>
            work({ ...change, finish: (end) => meanwhile().then(() => change.finish(end)) }),
          ),
    }),
  };
  const service = await startService({ storage: late });
  const backupId = await backUp(service, ['store']);
  const elsewhere = await openTestStorage(location);
  meanwhile = async () => {
    await elsewhere.write((db) => db.updateTable('stores').set({ name: 'Meanwhile' }).execute());
  };
  const { body } = await restore(service, backupId, ['store']);
  meanwhile = async () => {};
  expect((await contents(service)).store).toMatchObject([{ name: 'Test Store' }]);
  await restore(service, body.preRestoreBackupId, ['store']);
  expect((await contents(service)).store).toMatchObject([{ name: 'Meanwhile' }]);
  expect(await backupIds(service)).toHaveLength(3);
});

test('a backup that was never finished is not there, and is pruned after a day', async () => {
  const { service } = await startLargeStore();
  const { storage } = service;
  const backupId = await backUp(service, ['blog']);
  await storage.write((db) => db.deleteFrom('backupSections').execute());
  expect(await restore(service, backupId, ['blog'])).toMatchObject({ status: 404 });
  expect((await describeStore(storage, service.storeId)).backups).toEqual([]);

  const age = (hours: number) => ({ createdAt: timestamp(Date.now() - hours * 3_600_000) });
  await storage.write((db) => db.updateTable('backups').set(age(23)).execute());
  await prune(storage, { retentionDays: 90 });
  expect(await backupIds(service)).toEqual([backupId]);
  await storage.write((db) => db.updateTable('backups').set(age(25)).execute());
  await prune(storage, { retentionDays: 90 });
  expect(await backupIds(service)).toEqual([]);
});

test('a restore that is refused at its end leaves nothing of its backup', async () => {
  const { service } = await startLargeStore();
  await service.call('store.update', '', { slug: 'wanted' });
  const backupId = await backUp(service, ['store', 'blog']);
  await service.call('store.update', '', { slug: 'moved' });
  const other = await startService({ storage: service.storage });
  await other.call('store.update', '', { slug: 'wanted' });
  const before = await everyRow(service);
  expect(await restore(service, backupId, ['blog', 'store'])).toMatchObject({ status: 409 });
  expect(await everyRow(service)).toEqual(before);
  expect(await backupIds(service)).toEqual([backupId]);
});

test('a backup of another version is refused, and nothing changes', async () => {
  const service = await startService();
  const backupId = await backUp(service, ['store']);
  await service.storage.write((db) => db.updateTable('backups').set({ version: 3 }).execute());
  const before = await everyRow(service);
  const answer = await restore(service, backupId, ['store']);
  expect(answer).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  expect(await everyRow(service)).toEqual(before);
});

test('a slug that another store has taken meanwhile refuses the whole restore', async () => {
  const service = await startService();
  await service.call('store.update', '', { slug: 'wanted' });
  const backupId = await backUp(service, all);
  await service.call('store.update', '', { slug: 'moved' });
  const other = await startService({ storage: service.storage });
  await other.call('store.update', '', { slug: 'wanted' });
  const before = await everyRow(service);
  const answer = await restore(service, backupId, ['blog', 'store']);
  expect(answer).toMatchObject({ status: 409, body: { code: 'slug_taken' } });
  expect(await everyRow(service)).toEqual(before);
});

test('the pre-restore backup has the label of the backup in its own, truncated between characters', async () => {
  const service = await startService();
  const label = `x${'😀'.repeat(119)}`;
  const backup = { label, sections: ['store'], idempotencyKey: 'k' };
  const { id } = (await service.call('backup.create', '', backup)).body;
  await restore(service, id, ['store']);
  const [, before] = await service.storage.read((db) =>
    db.selectFrom('backups').select('label').orderBy('id').execute(),
  );
  expect(before?.label).toBe(`Automatic backup before restore of x${'😀'.repeat(84)}`);
});

test('a backup holds no key and no webhook secret', async () => {
  const service = await startService();
  await fill(service);
  await backUp(service, all);
  const payloads = await service.storage.read((db) =>
    db.selectFrom('backupChunks').select('payload').execute(),
  );
  const text = payloads.map((row) => row.payload).join();
  expect(text).toContain('https://discord.com/api/webhooks/123/***');
  expect(text).not.toContain('secret-token');
  expect(text).not.toContain(service.key);
});

test('invalid fields of a backup', async () => {
  const service = await startService();
  const cases: [object, string[]][] = [
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
  ];
  for (const [body, expected] of cases) {
    expect(faults(await service.call('backup.create', '', body)), JSON.stringify(body)).toEqual(expected);
  }
});

test('a restore needs sections and an existing backup', async () => {
  const service = await startService();
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

/** Answers the slugs of the posts that were inserted since. */
async function recordWritten({ storage, call }: Service): Promise<() => Promise<string[]>> {
  const { body: mark } = await call('blog.create', '', { title: createId(), contentMd: '' });
  const age = sql<number>`${sql.raw(storage.engine === 'postgres' ? 'xmin::text::bigint' : 'rowid')}`;
  return async () => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('posts')
        .select(['slug', age.as('age')])
        .execute(),
    );
    const since = rows.find(({ slug }) => slug === mark.slug)?.age ?? 0;
    return rows.filter((row) => row.age > since).map(({ slug }) => slug);
  };
}

async function backupIds({ storage }: Service): Promise<string[]> {
  const rows = await storage.read((db) => db.selectFrom('backups').select('id').orderBy('id').execute());
  return rows.map(({ id }) => id);
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
