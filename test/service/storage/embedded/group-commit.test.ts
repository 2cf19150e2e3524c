import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Storage } from '../../../../src/service/index.ts';
import { recordEvent } from '../../../../src/service/operations/record-event.ts';
import { insertEvent, listNotifications } from '../../../../src/service/storage/queries/events.ts';
import { putSettings } from '../../../../src/service/storage/queries/settings.ts';
import {
  newDatabase,
  openTestStorage,
  type Service,
  startService,
  temporaryFile,
} from '../../helpers/service.ts';

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
    await sql`insert into posts (store_id, position, id, title, slug, content_md, tags, featured_product_ids, status, view_count,
      created_at, updated_at) values ('nobody', 1, 'x', '', '', '', '', '', '', 0, '', '')`.execute(db);
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
  const service = await startService({ storage: await openTestStorage(), log });
  // As small as it can be: as it is now.
  await service.storage.write((db) => sql`pragma max_page_count = 1`.execute(db));
  const post = { title: 'A', contentMd: 'x'.repeat(100_000) };
  const answer = await service.call('blog.create', '', post);
  expect(answer).toMatchObject({ status: 503, body: { code: 'busy' } });
  expect(JSON.stringify(answer.body)).not.toContain('full');
  expect(JSON.stringify(lines)).toContain('database or disk is full');
});

test('requests that arrive together get the same answers as one after the other', async () => {
  const service = await startService({ storage: await openTestStorage() });
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

test('a change that fails after recording events does not affect the events of others', async () => {
  const service = await startService({ storage: await openTestStorage() });
  const report = (summary: string) =>
    service.inStore(async (work) => {
      await recordEvent(work, 'feedback_digest', { summary });
      if (summary === 'bad') throw new Error('changed its mind');
    });
  const results = await Promise.allSettled([report('1'), report('bad'), report('2'), report('3')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  const rows = await service.storage.read((db) => db.selectFrom('events').select('body').execute());
  expect(rows.map(({ body }) => body).sort()).toEqual(['1', '2', '3']);
  expect(await countOf(service, 'events')).toBe(3);
});

test('the same request twice in one commit is applied once', async () => {
  const service = await startService({ storage: await openTestStorage() });
  const answers = await Promise.all(
    ['a', 'b', 'a', 'a', 'c'].map((key) => service.call('disputes.open', '', dispute(key))),
  );
  const ids = answers.map(({ body }) => body.id);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  expect([ids[2], ids[3], new Set(ids).size]).toEqual([ids[0], ids[0], 3]);
  expect(await countOf(service, 'disputes')).toBe(3);
  expect(await countOf(service, 'events')).toBe(3);
  expect(await countOf(service, 'idempotencyKeys')).toBe(3);
});

test('similar changes of one commit are each stored with their own values', async () => {
  const service = await startService({ storage: await openTestStorage() });
  const requests = Array.from({ length: 11 }, (_, index) => ({
    ...dispute(`key-${index}`),
    reason: index < 8 ? "Parcel's gone" : 'Late',
    ...(index % 3 === 0 && { buyerEmail: 'anna@example.com', riskSignals: { score: index } }),
    ...(index > 8 && { deadlineAt: '2030-01-01T00:00:00.000Z' }),
  }));
  const opened = await Promise.all(requests.map((request) => service.call('disputes.open', '', request)));
  for (const [index, { status, body }] of opened.entries()) {
    expect([status, body]).toEqual([201, { ...body, ...requests[index] }]);
    const shown = await service.call('disputes.show', body.id);
    expect(shown.body.record).toEqual(body);
  }
  const rows = await service.storage.read((db) => db.selectFrom('events').select('body').execute());
  expect(rows.filter(({ body }) => body.includes("Parcel's gone"))).toHaveLength(8);
  expect(rows.filter(({ body }) => body.includes('Late'))).toHaveLength(3);
});

test('each of many changes at once is saved once, however many they are', async () => {
  const service = await startService({ storage: await openTestStorage() });
  for (const count of [1, 2, 3, 4, 5, 7, 63, 64, 65, 131]) {
    const requests = Array.from({ length: count }, (_, index) => dispute(`of-${count}-number-${index}`));
    const opened = await Promise.all(requests.map((request) => service.call('disputes.open', '', request)));
    expect(opened.filter(({ status }) => status === 201)).toHaveLength(count);
  }
  for (const table of ['disputes', 'events', 'idempotencyKeys'] as const)
    expect(await countOf(service, table)).toBe(345);
});

test('a duplicate row fails its own change and no other', async () => {
  const service = await startService({ storage: await openTestStorage() });
  const text = { title: '', body: '', createdAt: '2030-01-01T00:00:00.000Z' };
  const add = (id: string) =>
    service.inStore((work) =>
      insertEvent(work, { id, sequence: Number(id), type: 'feedback_digest', data: {}, ...text }),
    );
  const results = await Promise.allSettled([add('1'), add('2'), add('1'), add('3')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await countOf(service, 'events')).toBe(3);
});

test('a change sees the changes before it in the same commit', async () => {
  const service = await startService({ storage: await openTestStorage() });
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

test('a change does not use settings of a change that was undone, and uses those of another process', async () => {
  const file = await temporaryFile('service.db');
  const service = await startService({ storage: await openTestStorage(file) });
  const other = await openTestStorage(file);
  const { storeId } = service;
  const settingsWith = (title: string) => ({
    document: { templates: { dispute_opened: { title, body: '', private: false } } },
    updatedAt: '2030-01-01T00:00:00.000Z',
  });
  const titles: string[] = [];
  const openOne = async (key: string) => {
    expect((await service.call('disputes.open', '', dispute(key))).status).toBe(201);
    const rows = await other.read((db) => db.selectFrom('events').select('title').execute());
    titles.push(...rows.map(({ title }) => title).filter((title) => !titles.includes(title)));
  };

  await openOne('first');
  const undone = service.inStore(async (work) => {
    await putSettings(work, settingsWith('Undone'));
    await recordEvent(work, 'dispute_opened', { kind: 'payment', reason: 'x', deadlineAt: 'soon' });
    throw new Error('changed its mind');
  });
  await expect(undone).rejects.toThrow('changed its mind');
  await openOne('second');
  await other.write((db) => putSettings({ db, storeId }, settingsWith('From elsewhere')));
  await openOne('third');
  expect(titles).toEqual(['Dispute opened', 'From elsewhere']);
});

async function countOf({ storage }: Service, table: 'disputes' | 'events' | 'idempotencyKeys') {
  return (await storage.read((db) => db.selectFrom(table).select('storeId').execute())).length;
}

test('more writes at once than one commit takes', async () => {
  const { storage, onlooker } = await openNumbers();
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => insert(storage, index)));
  expect(await numbersIn(onlooker)).toHaveLength(1_000);
});

test('two connections of one process write at once, and wait for each other', async () => {
  const { storage, onlooker } = await openNumbers();
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      await new Promise((resolve) => setImmediate(resolve));
      await insert(index % 2 ? storage : onlooker, index);
    }),
  );
  expect(await numbersIn(storage)).toHaveLength(100);
});

test('closing waits for running writes', async () => {
  const { storage, onlooker } = await openNumbers();
  const writes = [insert(storage, 1), insert(storage, 2)];
  await storage.close();
  await Promise.all(writes);
  expect(await numbersIn(onlooker)).toEqual([1, 2]);
});
