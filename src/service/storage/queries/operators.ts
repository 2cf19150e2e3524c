import { sql } from 'kysely';
import { isEmbedded, type Queries, type Tenant } from '../core/storage.ts';
import { tablesOfStores } from '../migrations/0001-schema.ts';

/** Queries of the person who runs the service. They see all stores but deleted ones. */

export interface OperatorChange {
  readonly createdAt: string;
  /** User of the system. */
  readonly runBy: string;
  /** Noun and verb. */
  readonly command: string;
  readonly storeId: string | null;
  readonly objectId: string | null;
}

export async function logChange(db: Queries, change: OperatorChange): Promise<void> {
  await db.insertInto('operatorLog').values(change).execute();
}

/** Stores by name, those after one of them if `after` is its id. */
export async function pageOfStores(db: Queries, limit: number, after: string | undefined) {
  const before =
    after === undefined
      ? undefined
      : await db.selectFrom('stores').select('name').where('id', '=', after).executeTakeFirst();
  let query = db
    .selectFrom('stores')
    .select(['id', 'name', 'slug', 'status', 'createdAt'])
    .where('deletedAt', 'is', null);
  if (before !== undefined && after !== undefined) {
    const { name } = before;
    query = query.where((eb) =>
      eb.or([eb('name', '>', name), eb.and([eb('name', '=', name), eb('id', '>', after)])]),
    );
  }
  return query.orderBy('name').orderBy('id').limit(limit).execute();
}

export interface ObjectQuery {
  /** Default: all stores. */
  readonly storeId?: string | undefined;
  readonly limit: number;
}

const columns = {
  subdomainReclaims: ['subdomain', 'reason', 'status', 'appealText', 'appealedAt', 'closedAt'],
  disputes: ['kind', 'status', 'reason', 'deadlineAt', 'resolution'],
  backups: ['label', 'version'],
  endpoints: ['name', 'maskedUrl', 'events', 'enabled', 'disabledReason'],
} as const;

type Listed = keyof typeof columns;

/** Rows of stores, newest first. */
export async function newestRows<Row extends { readonly id: string }>(
  db: Queries,
  table: Listed,
  { storeId, limit }: ObjectQuery,
): Promise<Row[]> {
  const names = ['id', 'storeId', ...columns[table], 'createdAt'].map((name) => sql.ref(name));
  const ofStore = storeId === undefined ? sql`true` : sql`store_id = ${storeId}`;
  const { rows } = await sql<Row>`
    select ${sql.join(names)} from ${sql.table(table)}
    where ${ofStore} and exists (select 1 from stores where stores.id = store_id and deleted_at is null)
    order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

/** The store of an object, by its id. */
export async function storeOf(db: Queries, table: Listed, id: string): Promise<string | undefined> {
  // What only a backup still shows has its secret elsewhere.
  const objects =
    table === 'endpoints'
      ? sql`(select store_id, id from endpoints union all select store_id, endpoint_id from removed_endpoints) as objects`
      : sql.table(table);
  const { rows } = await sql<{ storeId: string }>`
    select store_id from ${objects}
    where id = ${id} and exists (select 1 from stores where stores.id = store_id and deleted_at is null)`.execute(
    db,
  );
  return rows[0]?.storeId;
}

/** What would go with a store. */
export async function countObjects({ db, storeId }: Tenant) {
  const count = async (table: 'posts' | 'backups' | 'disputes') =>
    Number(
      (
        await db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('count'))
          .where('storeId', '=', storeId)
          .executeTakeFirst()
      )?.count ?? 0,
    );
  const unsent = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('storeId', '=', storeId)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return {
    posts: await count('posts'),
    backups: await count('backups'),
    disputes: await count('disputes'),
    unsent: Number(unsent?.count ?? 0),
  };
}

/** Nobody sees the store any more, its keys are revoked, and its endpoints have no address. */
export async function markDeleted({ db, storeId }: Tenant, at: string): Promise<void> {
  await db.updateTable('stores').set({ deletedAt: at }).where('id', '=', storeId).execute();
  await db
    .updateTable('apiKeys')
    .set({ revokedAt: at })
    .where('storeId', '=', storeId)
    .where('revokedAt', 'is', null)
    .execute();
  await db
    .updateTable('endpoints')
    .set({ enabled: 0, dueAt: null, secretUrl: null })
    .where('storeId', '=', storeId)
    .execute();
  await db.deleteFrom('removedEndpoints').where('storeId', '=', storeId).execute();
}

/** Deletes an endpoint with its deliveries and its secret. */
export async function deleteEndpoint({ db, storeId }: Tenant, id: string): Promise<void> {
  await db.deleteFrom('endpoints').where('storeId', '=', storeId).where('id', '=', id).execute();
  await db
    .deleteFrom('removedEndpoints')
    .where('storeId', '=', storeId)
    .where('endpointId', '=', id)
    .execute();
}

/** Returns false if the notice is closed. */
export async function setClosed({ db, storeId }: Tenant, id: string, at: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('subdomainReclaims')
    .set({ status: 'closed', closedAt: at })
    .where('storeId', '=', storeId)
    .where('id', '=', id)
    .where('closedAt', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

export async function listDeletedStores(db: Queries): Promise<string[]> {
  const rows = await db.selectFrom('stores').select('id').where('deletedAt', 'is not', null).execute();
  return rows.map(({ id }) => id);
}

/** Deletes some rows of a deleted store, at last the store itself. Returns how many: 0 when nothing is left. */
export async function deleteSomeRows({ db, storeId }: Tenant, limit: number): Promise<number> {
  const rowId = sql.raw(isEmbedded(db) ? 'rowid' : 'ctid');
  for (const name of tablesOfStores.toReversed()) {
    const table = sql.table(name);
    const { numAffectedRows } = await sql`delete from ${table} where ${rowId} in (
      select ${rowId} from ${table} where store_id = ${storeId} limit ${limit})`.execute(db);
    if (Number(numAffectedRows) > 0) return Number(numAffectedRows);
  }
  const { numDeletedRows } = await db.deleteFrom('stores').where('id', '=', storeId).executeTakeFirst();
  return Number(numDeletedRows);
}
