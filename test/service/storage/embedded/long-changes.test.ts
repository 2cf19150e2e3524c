import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { LongChange, Storage } from '../../../../src/service/storage/core/storage.ts';
import { newDatabase, openTestStorage } from '../../helpers/service.ts';

/** A database with a table for words, opened twice. */
async function openWords() {
  const file = await newDatabase();
  const storage = await openTestStorage(file);
  await storage.write((db) => sql`create table words (word text primary key)`.execute(db));
  return { storage, other: await openTestStorage(file) };
}

function insert(transactions: Pick<Storage, 'write'>, word: string) {
  return transactions.write(async (db, locks) => {
    if (!(await locks.acquireChange())) throw new Error('refused');
    await sql`insert into words values (${word})`.execute(db);
  });
}

async function wordsIn(db: LongChange['db']): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`select word from words order by word`.execute(db);
  return rows.map(({ word }) => word);
}

test('a long change reads one snapshot, and what others and itself write meanwhile is committed at once', async () => {
  const { storage, other } = await openWords();
  await insert(storage.forStore('a'), 'before');
  await storage.forStore('a').writeLong(async (change) => {
    expect(await wordsIn(change.db)).toEqual(['before']);
    await insert(storage.forStore('b'), 'b meanwhile');
    await change.save((db) => sql`insert into words values ('c saved')`.execute(db));
    expect(await wordsIn(change.db)).toEqual(['before']);
    expect(await other.read(wordsIn)).toEqual(['b meanwhile', 'before', 'c saved']);
    const seen = await change.finish((db) => wordsIn(db));
    expect(seen).toEqual(['b meanwhile', 'before', 'c saved']);
  });
});

test('a long change has what changes before it have written', async () => {
  const { storage } = await openWords();
  const written = insert(storage.forStore('a'), 'before');
  const words = await storage.forStore('a').writeLong(({ db }) => wordsIn(db));
  expect(words).toEqual(['before']);
  await written;
});

test('it knows whether its store may have changed since its snapshot', async () => {
  const { storage, other } = await openWords();
  const isFreshAfter = (meanwhile: () => Promise<unknown>) =>
    storage.forStore('a').writeLong(async ({ finish }) => {
      await meanwhile();
      return finish(async (_, __, isFresh) => isFresh);
    });
  expect(await isFreshAfter(async () => {})).toBe(true);
  expect(await isFreshAfter(() => insert(storage.forStore('b'), 'of another store'))).toBe(true);
  expect(await isFreshAfter(() => insert(storage.forStore('a'), 'of this store'))).toBe(false);
  expect(await isFreshAfter(() => insert(storage, 'of any store'))).toBe(false);
  expect(await isFreshAfter(() => insert(other, 'of any process'))).toBe(false);
  // In the same commit as the end of the long change.
  let inserted: Promise<unknown> = Promise.resolve();
  const isFresh = await isFreshAfter(async () => {
    inserted = insert(storage.forStore('a'), 'at the same time');
  });
  await inserted;
  expect(isFresh).toBe(false);
});

test('a long restore begins again if its store has changed, and others of the store are refused then', async () => {
  const { storage, other } = await openWords();
  const seen: string[][] = [];
  await storage.forStore('a').writeLong(async ({ db, locks, save, finish }) => {
    await locks.acquireRestore();
    seen.push(await wordsIn(db));
    await save((current) => sql`insert into words values (${`step ${seen.length}`})`.execute(current));
    await insert(storage.forStore('b'), `of another store ${seen.length}`);
    const own = insert(storage.forStore('a'), 'of this store');
    if (seen.length === 1) await own;
    else await expect(own).rejects.toThrow('refused');
    await finish((current, _, isFresh) =>
      sql`insert into words values (${isFresh ? 'end' : 'not fresh'})`.execute(current),
    );
  });
  const first = ['of another store 1', 'of this store', 'step 1'];
  expect(seen).toEqual([[], first]);
  const all = ['end', 'of another store 1', 'of another store 2', 'of this store', 'step 1', 'step 2'];
  expect(await other.read(wordsIn)).toEqual(all);
  await insert(storage.forStore('a'), 'after it');
});

test('what a long change claims is its own until it ends', async () => {
  const { storage } = await openWords();
  const claim = (storeId: string, meanwhile = async () => {}) =>
    storage.forStore(storeId).writeLong(async ({ locks }) => {
      const isClaimed = await locks.claim(['key']);
      await meanwhile();
      return isClaimed;
    });
  const own = await claim('a', async () => {
    expect(await claim('a')).toBe(false);
    expect(await claim('b')).toBe(true);
  });
  expect(own).toBe(true);
  expect(await claim('a')).toBe(true);
});

test('closing the storage waits for the end of long changes', async () => {
  const { storage, other } = await openWords();
  const words = ['1', '2', '3'];
  const change = storage.forStore('a').writeLong(async ({ save, finish }) => {
    for (const word of words) await save((db) => sql`insert into words values (${word})`.execute(db));
    await finish((db) => sql`insert into words values ('end')`.execute(db));
  });
  await storage.close();
  expect(await other.read(wordsIn)).toEqual([...words, 'end']);
  await change;
});
