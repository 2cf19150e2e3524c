import { statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

/** What is removed from a store when it is old. Deliveries come before the notifications that they belong to. */
export type Prunable = 'deliveries' | 'notifications' | 'keys' | 'backups';

/** Rows of a store in the order of their ids, which is that of their creation. */
export interface Page {
  /** Ids of the rows to remove. */
  readonly old: readonly string[];
  /** Where the next page begins. Null if no later row is old. */
  readonly next: string | null;
}

interface PageQuery {
  readonly storeId: string;
  /** The last id of the page before, or empty. */
  readonly after: string;
  /** Only rows from before this time are old. */
  readonly before: string;
}

const pageSize = 500;

interface PageRow {
  readonly id: string;
  readonly time: string;
  readonly isOld: number;
}

/** A notification is also the event of its deliveries, so it stays until they go. Events are counted on from the newest. */
const pages: Readonly<Record<Prunable, ReturnType<typeof statement<PageQuery, PageRow>>>> = {
  deliveries: statement<PageQuery, PageRow>`
      select id, created_at as time,
        case when status = 'delivered' and settled_at < ${'before'} then 1 else 0 end as is_old
      from deliveries where store_id = ${'storeId'} and id > ${'after'} order by id limit 500`,
  notifications: statement<PageQuery, PageRow>`
      select id, created_at as time,
        case when (read_at is not null or sequence <= (select mark from stores where stores.id = events.store_id))
            and sequence < (select newest.sequence from events as newest
              where newest.store_id = events.store_id and newest.sequence > 0
              order by newest.sequence desc limit 1)
            and created_at < ${'before'} and not exists (
          select 1 from deliveries where deliveries.store_id = events.store_id and event_id = events.id
            and (status <> 'delivered' or settled_at >= ${'before'})
        ) then 1 else 0 end as is_old
      from events where store_id = ${'storeId'} and id > ${'after'} order by id limit 500`,
  keys: statement<PageQuery, PageRow>`
      select id, '' as time, case when expires_at < ${'before'} then 1 else 0 end as is_old
      from api_keys where store_id = ${'storeId'} and id > ${'after'} order by id limit 500`,
  backups: statement<PageQuery, PageRow>`
      select id, created_at as time, case when created_at < ${'before'} then 1 else 0 end as is_old
      from backups where store_id = ${'storeId'} and id > ${'after'} order by id limit 500`,
};

/** The next page of old rows. */
export async function findOld(
  { db, storeId }: Tenant,
  what: Prunable,
  { after, before }: { readonly after: string; readonly before: string },
): Promise<Page> {
  const { rows } = await pages[what](db, { storeId, after, before });
  const last = rows.at(-1);
  const isLast = rows.length < pageSize || last === undefined || last.time >= before;
  return {
    old: rows.filter(({ isOld }) => isOld === 1).map(({ id }) => id),
    next: isLast ? null : last.id,
  };
}

const tables = {
  deliveries: 'deliveries',
  notifications: 'events',
  keys: 'apiKeys',
  backups: 'backups',
} as const;

/** Deletes the rows of a page and answers how many there were. */
export async function deleteOld(
  { db, storeId }: Tenant,
  what: Prunable,
  ids: readonly string[],
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom(tables[what])
    .where('storeId', '=', storeId)
    .where('id', 'in', ids)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
