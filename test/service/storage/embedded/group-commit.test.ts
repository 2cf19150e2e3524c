import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Storage } from '../../../../src/service/index.ts';
import { listNotifications } from '../../../../src/service/storage/queries/notifications.ts';
import { newDatabase, openService, openTestStorage } from '../../helpers/service.ts';

/** A database with a table for numbers, opened twice. */
async function openNumbers() {
  const file = await newDatabase();
  const storage = await openTestStorage(file);
  await storage.write((db) => sql`create table numbers (value integer primary key)`.execute(db));
  return { storage, onlooker: await openTestStorage(file) };
}

function insert(storage: Storage, value: number) {
  return storage.write((db) => sql`insert into numbers values (${value})`.execute(db));
}

async function numbersIn(storage: Storage): Promise<number[]> {
  const { rows } = await storage.read((db) =>
    sql<{ value: number }>`select value from numbers order by value`.execute(db),
  );
  return rows.map((row) => row.value);
}

test('writes that arrive together share a commit, and all are answered after it', async () => {
  const { storage, onlooker } = await openNumbers();
  const events: string[] = [];
  const write = async (value: number) => {
    await storage.write(async (db) => {
      await sql`insert into numbers values (${value})`.execute(db);
      events.push(`${value} written, ${(await numbersIn(onlooker)).length} seen by others`);
    });
    events.push(`${value} answered, ${(await numbersIn(onlooker)).length} seen by others`);
  };
  await Promise.all([1, 2, 3].map(write));
  expect(events).toEqual([
    '1 written, 0 seen by others',
    '2 written, 0 seen by others',
    '3 written, 0 seen by others',
    '1 answered, 3 seen by others',
    '2 answered, 3 seen by others',
    '3 answered, 3 seen by others',
  ]);
});

test('a failing change in the middle of a group is undone alone, for any reason', async () => {
  const { storage, onlooker } = await openNumbers();
  const thrown = storage.write(async (db) => {
    await sql`insert into numbers values (2)`.execute(db);
    throw new Error('changed its mind');
  });
  const results = await Promise.allSettled([
    insert(storage, 1),
    thrown,
    insert(storage, 3),
    insert(storage, 1),
    storage.write((db) => sql`insert into nowhere values (1)`.execute(db)),
    insert(storage, 4),
  ]);
  expect(results.map((result) => result.status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  expect(await numbersIn(onlooker)).toEqual([1, 3, 4]);
});

test('a failed commit rejects its whole group without a trace, and the next group is committed', async () => {
  const { storage, onlooker } = await openNumbers();
  const poison = storage.write(async (db) => {
    // The engine looks at what this breaks when it commits.
    await sql`pragma defer_foreign_keys = on`.execute(db);
    await sql`insert into posts (store_id, position, id, title, slug, content_sha256, content_md, tags, featured_product_ids, status, view_count,
      created_at, updated_at) values ('nobody', 1, 'x', '', '', '', '', '', '', '', 0, '', '')`.execute(db);
  });
  const results = await Promise.allSettled([insert(storage, 1), poison, insert(storage, 2)]);
  for (const result of results) {
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'StorageBusyError' } });
  }
  expect(await numbersIn(onlooker)).toEqual([]);
  await insert(storage, 3);
  expect(await numbersIn(onlooker)).toEqual([3]);
});

test('if the database cannot save, the log has the cause and the client gets busy', async () => {
  const lines: object[] = [];
  const log = (line: object) => void lines.push(line);
  const service = await openService({ storage: await openTestStorage(), log });
  // As small as it can be: as it is now.
  await service.storage.write((db) => sql`pragma max_page_count = 1`.execute(db));
  const post = { title: 'A', contentMd: 'x'.repeat(100_000) };
  const answer = await service.call('blog.create', '', post);
  expect(answer).toMatchObject({ status: 503, body: { code: 'busy' } });
  expect(JSON.stringify(answer.body)).not.toContain('full');
  expect(JSON.stringify(lines)).toContain('database or disk is full');
});

test('requests that arrive together get the same answers as one after the other', async () => {
  const service = await openService({ storage: await openTestStorage() });
  const { id } = (await service.call('disputes.open', '', dispute('first'))).body;
  const decide = (status: string) => service.call('disputes.decide', id, { status, resolution: 'x' });
  const post = (title: string) => service.call('blog.create', '', { title, contentMd: 'x' });
  const answers = await Promise.all([
    post('Same title'),
    decide('won'),
    service.call('disputes.open', '', dispute('key')),
    post('Same title'),
    decide('lost'),
    service.call('disputes.open', '', dispute('key')),
    decide('won'),
    service.call('blog.create', '', {}),
  ]);
  expect(answers.map((answer) => answer.status)).toEqual([201, 200, 201, 409, 409, 201, 200, 422]);
  expect(answers[5]?.headers.get('idempotency-replayed')).toBe('true');
  const events = await service.storage.read((db) => db.selectFrom('events').select('type').execute());
  expect(events.map((event) => event.type).sort()).toEqual([
    'dispute_decided',
    'dispute_opened',
    'dispute_opened',
    'post_created',
  ]);
});

function dispute(idempotencyKey: string) {
  return { kind: 'payment', reason: 'x', idempotencyKey };
}

test('a change sees the changes before it in the same commit', async () => {
  const service = await openService({ storage: await openTestStorage() });
  const templates = { dispute_opened: { title: 'Mine', body: '', private: false } };
  const answers = await Promise.all([
    service.call('disputes.open', '', dispute('before')),
    service.call('notify.mark-read', '', {}),
    service.call('settings.save', '', { templates }),
    service.call('disputes.open', '', dispute('after')),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 201]);
  const { storage, storeId } = service;
  const rows = await storage.read((db) => listNotifications({ db, storeId }));
  const byTitle = Object.fromEntries(rows.map(({ title, read }) => [title, read]));
  expect(byTitle).toEqual({ 'Dispute opened': true, 'Operations settings updated': false, Mine: false });
});

test('more writes at once than one commit takes', async () => {
  const { storage, onlooker } = await openNumbers();
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => insert(storage, index)));
  expect(await numbersIn(onlooker)).toHaveLength(1_000);
});

test('closing waits for running writes', async () => {
  const { storage, onlooker } = await openNumbers();
  const writes = [insert(storage, 1), insert(storage, 2)];
  await storage.close();
  await Promise.all(writes);
  expect(await numbersIn(onlooker)).toEqual([1, 2]);
});
