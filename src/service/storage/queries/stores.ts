import type { Selectable } from 'kysely';
import type { StoreSettings } from '../../model/store-fields.ts';
import type { RecordOf, Schema } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import type { Queries, Tenant } from '../core/storage.ts';

export type StoreRecord = Omit<
  RecordOf<'stores', { settings: StoreSettings }>,
  'blog' | 'mark' | 'deletedAt'
>;

const storeById = statement<
  { storeId: string },
  Omit<Selectable<Schema['stores']>, 'blog' | 'mark' | 'deletedAt'>
>`
  select id, organisation_id, name, slug, status, default_currency, timezone, settings, created_at, version
  from stores where id = ${'storeId'} and deleted_at is null`;

export async function findStore({ db, storeId }: Tenant): Promise<StoreRecord | undefined> {
  const [row] = (await storeById(db, { storeId })).rows;
  return row && { ...row, settings: JSON.parse(row.settings) };
}

/** The ids of all stores that are not deleted. */
export async function listStoreIds(db: Queries): Promise<string[]> {
  const rows = await db.selectFrom('stores').select('id').where('deletedAt', 'is', null).execute();
  return rows.map(({ id }) => id);
}

/** Rejects with a unique violation if another store has the slug. */
export async function insertStore(db: Queries, store: StoreRecord): Promise<void> {
  await db
    .insertInto('stores')
    .values({ ...store, settings: JSON.stringify(store.settings) })
    .execute();
}

/** Saves the fields that can change, as a new version. Rejects with a unique violation if another store has the slug. */
export const saveStore = statement<StoreRecord>`
  update stores set name = ${'name'}, slug = ${'slug'}, default_currency = ${'defaultCurrency'},
    timezone = ${'timezone'}, settings = ${'settings'}, version = ${'version'}
  where id = ${'id'}`;

/** Whether another store has the slug. To be asked of all stores. */
export async function isSlugTaken(db: Queries, slug: string, storeId: string): Promise<boolean> {
  const { rows } = await slugOwner(db, { slug });
  return rows.some(({ id }) => id !== storeId);
}

const slugOwner = statement<{ slug: string }, { id: string }>`
  select id from stores where slug = ${'slug'} and deleted_at is null`;
