import { type Selectable, sql } from 'kysely';
import type { Schema } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import type { Queries, Tenant } from '../core/storage.ts';
import { tablesOfStores } from '../core/tables.ts';

/** Queries of the person who runs the service. They see all stores but deleted ones. */

type ListedStore = Pick<Selectable<Schema['stores']>, 'id' | 'name' | 'slug' | 'status' | 'createdAt'>;

/** Stores by name, those after one of them if `after` is its id. */
export async function pageOfStores(
  db: Queries,
  { storeId, limit, after }: ObjectQuery & { readonly after?: string | undefined },
) {
  const isAsked = storeId === undefined ? sql`true` : sql`id = ${storeId}`;
  const isAfter =
    after === undefined ? sql`true` : sql`(name, id) > (select name, id from stores where id = ${after})`;
  const { rows } = await sql<ListedStore>`
    select id, name, slug, status, created_at from stores where deleted_at is null and ${isAsked} and ${isAfter}
    order by name, id limit ${limit}`.execute(db);
  return rows;
}

export interface ObjectQuery {
  /** Default: all stores. */
  readonly storeId?: string | undefined;
  readonly limit: number;
}

const columns = {
  subdomainReclaims: ['subdomain', 'reason', 'status', 'appealText', 'appealedAt', 'closedAt'],
  disputes: ['kind', 'status', 'reason', 'deadlineAt', 'resolution'],
  backups: ['label', 'version', 'sections'],
  endpoints: ['name', 'maskedUrl', 'events', 'enabled', 'disabledReason'],
} as const;

type Listed = keyof typeof columns;

type ListedRow<Table extends Listed, Row = Selectable<Schema[Table]>> = Pick<
  Row,
  Extract<'id' | 'storeId' | 'createdAt' | (typeof columns)[Table][number], keyof Row>
>;

/** Rows of stores, newest first. */
export async function newestRows<Table extends Listed>(
  db: Queries,
  table: Table,
  { storeId, limit }: ObjectQuery,
): Promise<ListedRow<Table>[]> {
  const names = ['id', 'storeId', ...columns[table], 'createdAt'].map((name) => sql.ref(name));
  const ofStore = storeId === undefined ? sql`true` : sql`store_id = ${storeId}`;
  const { rows } = await sql<ListedRow<Table>>`
    select ${sql.join(names)} from ${sql.table(table)}
    where ${ofStore} and exists (select 1 from stores where stores.id = store_id and deleted_at is null)
    order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

export async function newestBackups(db: Queries, query: ObjectQuery) {
  const rows = await newestRows(db, 'backups', query);
  return rows.map((row) => ({ ...row, sections: JSON.parse(row.sections) as string[] }));
}

/** What operators have changed. `id` counts them. */
export async function newestChanges(db: Queries, { storeId, limit }: ObjectQuery) {
  let query = db
    .selectFrom('operatorLog')
    .select(['sequence', 'createdAt', 'runBy', 'command', 'storeId', 'objectId'])
    .orderBy('sequence', 'desc')
    .limit(limit);
  if (storeId !== undefined) query = query.where('storeId', '=', storeId);
  return (await query.execute()).map(({ sequence, ...row }) => ({ id: String(sequence), ...row }));
}

/** The store of an object, by its id. */
export async function selectStoreId(db: Queries, table: Listed, id: string): Promise<string | undefined> {
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

interface StoreSize extends Record<'posts' | 'backups' | 'disputes' | 'unsent', number> {
  readonly name: string;
}

/** What would go with a store. Undefined if it does not exist. */
export async function measure({ db, storeId }: Tenant): Promise<StoreSize | undefined> {
  const { rows } = await sql<StoreSize>`
    select name, (select count(*) from posts where store_id = stores.id) as posts,
      (select count(*) from backups where store_id = stores.id) as backups,
      (select count(*) from disputes where store_id = stores.id) as disputes,
      (select count(*) from deliveries where store_id = stores.id and status = 'pending') as unsent
    from stores where id = ${storeId} and deleted_at is null`.execute(db);
  return rows[0];
}

const deletionOfStore = [
  statement<{ storeId: string; at: string }>`
    update stores set deleted_at = ${'at'} where id = ${'storeId'}`,
  statement<{ storeId: string; at: string }>`
    update api_keys set revoked_at = ${'at'} where store_id = ${'storeId'} and revoked_at is null`,
  statement<{ storeId: string; at: string }>`
    update endpoints set enabled = 0, due_at = null, secret_url = null where store_id = ${'storeId'}`,
  statement<{ storeId: string; at: string }>`delete from removed_endpoints where store_id = ${'storeId'}`,
];

/** Nobody sees the store any more, its keys are revoked, and its endpoints have no address. */
export async function markDeleted({ db, storeId }: Tenant, at: string): Promise<void> {
  for (const part of deletionOfStore) await part(db, { storeId, at });
}

/** Changes nothing if the notice is closed. */
export const setClosed = statement<{ storeId: string; id: string; at: string }>`
  update subdomain_reclaims set status = 'closed', closed_at = ${'at'}
  where store_id = ${'storeId'} and id = ${'id'} and closed_at is null`;

export async function listDeletedStores(db: Queries): Promise<string[]> {
  const rows = await db.selectFrom('stores').select('id').where('deletedAt', 'is not', null).execute();
  return rows.map(({ id }) => id);
}

/** How many rows a deleted store has left, itself included. */
export async function countRows({ db, storeId }: Tenant): Promise<number> {
  let total = 1;
  for (const name of tablesOfStores) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(name)} where store_id = ${storeId}`.execute(db);
    total += Number(rows[0]?.count ?? 0);
  }
  return total;
}

/** Deletes some rows of a deleted store, at last the store itself. Returns how many: 0 when nothing is left. */
export async function deleteSomeRows({ db, storeId }: Tenant, limit: number): Promise<number> {
  const rowId = sql.raw(db.engine === 'embedded' ? 'rowid' : 'ctid');
  for (const name of tablesOfStores.toReversed()) {
    const table = sql.table(name);
    const { numAffectedRows } = await sql`delete from ${table} where ${rowId} in (
      select ${rowId} from ${table} where store_id = ${storeId} limit ${limit})`.execute(db);
    if (Number(numAffectedRows) > 0) return Number(numAffectedRows);
  }
  const { numDeletedRows } = await db.deleteFrom('stores').where('id', '=', storeId).executeTakeFirst();
  return Number(numDeletedRows);
}
