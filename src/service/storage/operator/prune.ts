import { sql } from 'kysely';
import type { Tenant } from '../core/storage.ts';

/** What is removed from a store when it is old. Deliveries come before the notifications that they belong to. */
export type Prunable = keyof typeof kinds;

/** Rows of a store in the order of their ids, so the oldest first. */
export interface PrunePage {
  /** Ids of the rows to remove. */
  readonly old: readonly string[];
  /** Where the next page begins. Null if no later row is old. */
  readonly next: string | null;
}

const pageSize = 500;

/** The table of each kind, when its rows were made, and which of them are old. A key may be old whenever it was made. */
const kinds = {
  deliveries: {
    table: 'deliveries',
    time: sql`created_at`,
    isOld: (before: string) => sql`status = 'delivered' and settled_at < ${before}`,
  },
  // A notification is also the event of its deliveries, so it stays until they go. Events are counted on from the newest.
  notifications: {
    table: 'events',
    time: sql`created_at`,
    isOld: (before: string) => sql`created_at < ${before}
      and (read_at is not null or sequence <= (select mark from stores where stores.id = events.store_id))
      and sequence < (select newest.sequence from events as newest
        where newest.store_id = events.store_id and newest.sequence > 0 order by newest.sequence desc limit 1)
      and not exists (select 1 from deliveries
        where deliveries.store_id = events.store_id and event_id = events.id
          and (status <> 'delivered' or settled_at >= ${before}))`,
  },
  keys: {
    table: 'api_keys',
    time: sql`''`,
    isOld: (before: string) => sql`expires_at < ${before}`,
  },
  backups: {
    table: 'backups',
    time: sql`created_at`,
    isOld: (before: string) => sql`created_at < ${before}`,
  },
} as const;

/** The next page of rows, after the row with this id. Rows from before a time are old. */
export async function findOld(
  { db, storeId }: Tenant,
  kind: Prunable,
  { after, before }: { readonly after: string; readonly before: string },
): Promise<PrunePage> {
  const { table, time, isOld } = kinds[kind];
  const { rows } = await sql<{ id: string; time: string; isOld: number }>`
    select id, ${time} as time, case when ${isOld(before)} then 1 else 0 end as is_old from ${sql.table(table)}
    where store_id = ${storeId} and id > ${after} order by id limit ${pageSize}`.execute(db);
  const last = rows.at(-1);
  const isLast = rows.length < pageSize || last === undefined || last.time >= before;
  return {
    old: rows.filter((row) => row.isOld === 1).map(({ id }) => id),
    next: isLast ? null : last.id,
  };
}

/** Deletes the rows of a page and returns how many there were. */
export async function deleteOld(
  { db, storeId }: Tenant,
  kind: Prunable,
  ids: readonly string[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(kinds[kind].table)} where store_id = ${storeId} and id in (${sql.join(ids)})`.execute(
    db,
  );
  return Number(numAffectedRows);
}
