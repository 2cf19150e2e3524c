import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeStore } from '../../../src/service/admin/example-store.ts';
import { prune } from '../../../src/service/admin/prune.ts';
import { createId } from '../../../src/service/model/ids.ts';
import { timestamp } from '../../../src/service/model/time.ts';
import type { LongChange, Storage } from '../../../src/service/storage/core/storage.ts';
import { readPosts, replacePosts } from '../../../src/service/storage/queries/posts.ts';
import { newDatabase, openTestStorage, type Service, startService } from '../helpers/service.ts';

const count = 1_200;

type Spoil = (change: LongChange) => Partial<LongChange>;

/** A store whose blog differs from its backup from the first post on. `spoil` can change what a long change does. */
async function startChangedStore(spoil: Spoil = () => ({})) {
  const location = await newDatabase();
  const storage = await openTestStorage(location);
  const watched: Storage = {
    ...storage,
    forStore: (id) => ({
      ...storage.forStore(id),
      writeLong: (work) => storage.forStore(id).writeLong((change) => work({ ...change, ...spoil(change) })),
    }),
  };
  const service = await startService({ storage: watched });
  const { body: first } = await service.call('blog.create', '', { title: 'Saved', contentMd: 'one' });
  const { effectiveStatus: _, coverUrl: __, coverImageUrl: ___, ...post } = first;
  const fill = (title: string) => {
    const posts = Array.from({ length: count }, (____, index) => ({
      ...{ ...post, title, id: createId(), slug: `post-${index}` },
      contentMd: index === 7 ? 'x'.repeat(200_000) : `Text ${index}`,
    }));
    return service.inStore((work) => replacePosts(work, [JSON.stringify(posts)]));
  };
  await fill('Saved');
  const backupId = await backUp(service);
  await fill('Changed');
  return { service, storage, location, backupId };
}

async function backUp({ call }: Service): Promise<string> {
  const body = { label: 'nightly', sections: ['blog'], idempotencyKey: createId() };
  return (await call('backup.create', '', body)).body.id;
}

function restore({ call }: Service, backupId: string, idempotencyKey = createId()) {
  return call('backup.restore', backupId, { sections: ['blog'], idempotencyKey });
}

/** Each title that posts of the store have, and how many have it. */
async function titles({ storage, storeId }: Service): Promise<Record<string, number>> {
  const { posts } = await describeStore(storage, storeId);
  const found: Record<string, number> = {};
  for (const { title } of posts) found[title] = (found[title] ?? 0) + 1;
  return found;
}

async function blogOf({ storage, storeId }: Service): Promise<string[]> {
  return storage.read(async (db) => {
    const pages: string[] = [];
    for await (const page of readPosts({ db, storeId }, '')) pages.push(...page);
    return pages;
  });
}

/** Rows of posts in all tables. */
async function countRows(storage: Storage): Promise<number> {
  const posts = sql`select id from posts`;
  const all = storage.engine === 'postgres' ? posts : sql`${posts} union all select id from other_posts`;
  return (await storage.read((db) => all.execute(db))).rows.length;
}

test('a restore of all posts can be undone, repeated and followed by others', async () => {
  const { service, storage, backupId } = await startChangedStore();
  const changed = await blogOf(service);
  const answer = await restore(service, backupId, 'once');
  expect(answer).toMatchObject({ status: 200, body: { sections: { blog: { count } } } });
  expect(await titles(service)).toEqual({ Saved: count });
  expect(await countRows(storage)).toBe(count);
  const restored = await blogOf(service);

  const again = await restore(service, backupId, 'once');
  expect(again.body).toEqual(answer.body);
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  const backup = { sections: { blog: answer.body.sections.blog } };
  expect((await restore(service, await backUp(service))).body).toMatchObject(backup);

  expect((await service.call('blog.create', '', { title: 'Post 7', contentMd: '' })).status).toBe(409);
  expect((await service.call('blog.create', '', { title: 'New', contentMd: '' })).status).toBe(201);
  expect((await restore(service, backupId)).body).toMatchObject(backup);
  expect(await blogOf(service)).toEqual(restored);

  expect((await restore(service, answer.body.preRestoreBackupId)).status).toBe(200);
  expect(await blogOf(service)).toEqual(changed);
  expect(await countRows(storage)).toBe(count);
});

test('other stores write during a restore of all posts, and nobody sees a part of it', async () => {
  const { service, storage, backupId, location } = await startChangedStore();
  const other = await startService({ storage });
  const onlooker = { ...service, storage: await openTestStorage(location) };
  let isDone = false;
  const restoring = restore(service, backupId).finally(() => {
    isDone = true;
  });
  const rows: number[] = [];
  while (!isDone) {
    expect((await other.call('blog.create', '', { title: createId(), contentMd: '' })).status).toBe(201);
    const [title, ...more] = Object.entries(await titles(onlooker));
    expect([
      ['Changed', count],
      ['Saved', count],
    ]).toContainEqual(title);
    expect(more).toEqual([]);
    rows.push((await countRows(storage)) - rows.length - 1);
  }
  expect((await restoring).status).toBe(200);
  if (storage.engine === 'embedded') expect(rows.some((row) => row > count && row < 2 * count)).toBe(true);
  expect(await titles(service)).toEqual({ Saved: count });
});

test('a restore of all posts that is cut off leaves the former ones, and what it has written is removed', async () => {
  let steps = Number.POSITIVE_INFINITY;
  const { service, storage, backupId } = await startChangedStore(({ save, finish }) => ({
    save: (write) => (steps-- > 0 ? save(write) : Promise.reject(new Error('killed'))),
    finish: (write) => (steps > 0 ? finish(write) : Promise.reject(new Error('killed'))),
  }));
  const cutOff = async () => {
    steps = storage.engine === 'embedded' ? 7 : 0;
    expect((await restore(service, backupId)).status).toBe(500);
    steps = Number.POSITIVE_INFINITY;
    expect(await titles(service)).toMatchObject({ Changed: count });
    if (storage.engine === 'embedded') expect(await countRows(storage)).toBeGreaterThan(count + 100);
  };
  await cutOff();
  expect((await service.call('blog.create', '', { title: 'New', contentMd: '' })).status).toBe(201);
  expect(await titles(service)).toEqual({ Changed: count, New: 1 });
  const undo = (await restore(service, backupId)).body.preRestoreBackupId;
  expect(await titles(service)).toEqual({ Saved: count });
  expect(await countRows(storage)).toBe(count);

  await restore(service, undo);
  await cutOff();
  const start = async (hoursAgo: number) => {
    const stagedAt = timestamp(Date.now() - hoursAgo * 3_600_000);
    if (storage.engine === 'embedded')
      await storage.write((db) => db.updateTable('blogs').set({ stagedAt }).execute());
    await prune(storage, { retentionDays: 90 });
    return countRows(storage);
  };
  if (storage.engine === 'embedded') expect(await start(23)).toBeGreaterThan(count + 100);
  expect(await start(25)).toBe(count + 1);
  expect(await titles(service)).toEqual({ Changed: count, New: 1 });
});

test('a change of the same store during a restore of all posts is refused, or is in the backup before it', async () => {
  let meanwhile = async () => {};
  const { service, storage, backupId } = await startChangedStore(({ finish }) => ({
    finish: (write) => meanwhile().then(() => finish(write)),
  }));
  const statuses: number[] = [];
  meanwhile = async () => {
    const { status, body } = await service.call('blog.create', '', { title: createId(), contentMd: '' });
    statuses.push(status);
    if (status !== 201) expect(body.code).toBe('restore_in_progress');
  };
  const { status, body } = await restore(service, backupId);
  meanwhile = async () => {};
  expect(status).toBe(200);
  expect(statuses).toEqual(storage.engine === 'embedded' ? [201, 409] : [409]);
  expect(await titles(service)).toEqual({ Saved: count });
  await restore(service, body.preRestoreBackupId);
  const created = statuses.filter((one) => one === 201).length;
  expect(await describeStore(storage, service.storeId)).toMatchObject({
    posts: { length: count + created },
    backups: { length: 3 },
  });
});

test('a backup during a restore of all posts has all of the former posts or all of the new ones', async () => {
  const { service, backupId } = await startChangedStore();
  const [{ body: restored }, during] = await Promise.all([restore(service, backupId), backUp(service)]);
  const before = await restore(service, restored.preRestoreBackupId);
  const { body } = await restore(service, during);
  const digests = [restored, before.body].map(({ sections }) => sections.blog.sha256);
  expect(digests).toContain(body.sections.blog.sha256);
});

test('a backup in chunks of 1 MiB, as they were once, is restored', async () => {
  const { service, storage, backupId } = await startChangedStore();
  await service.inStore(async ({ db }) => {
    const chunks = () => db.selectFrom('backupChunks').where('backupId', '=', backupId);
    const rows = await chunks().selectAll().orderBy('position').execute();
    expect(rows.length).toBeGreaterThan(2);
    const payload = rows.map((row) => row.payload).join(',');
    expect(payload.length).toBeGreaterThan(600 * 1024);
    const [first] = rows;
    if (first === undefined) return;
    await db.deleteFrom('backupChunks').where('backupId', '=', backupId).execute();
    await db
      .insertInto('backupChunks')
      .values({ ...first, payload, itemCount: count })
      .execute();
  });
  expect((await restore(service, backupId)).body).toMatchObject({ sections: { blog: { count } } });
  expect(await titles(service)).toEqual({ Saved: count });
  expect(await countRows(storage)).toBe(count);
});
