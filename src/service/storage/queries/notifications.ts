import { pipelined, statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

/** Every event is a notification in its store. */

/** Oldest first. */
export async function listNotifications({ db, storeId }: Tenant) {
  const rows = await db
    .selectFrom('events')
    .innerJoin('stores', 'stores.id', 'events.storeId')
    .select(['events.id', 'title', 'readAt', 'sequence', 'mark'])
    .where('storeId', '=', storeId)
    .orderBy('sequence')
    .execute();
  return rows.map(({ id, title, readAt, sequence, mark }) => ({
    id,
    title,
    read: readAt !== null || sequence <= mark,
  }));
}

/** Which notifications are asked for. */
export interface InboxPage {
  readonly isUnread: boolean;
  /** Only events with lower numbers. Null: from the newest on. */
  readonly below: number | null;
  readonly limit: number;
}

const markOf = statement<{ storeId: string }, { mark: number }>`
  select mark from stores where id = ${'storeId'}`;

/** Newest first. */
export async function findNotifications({ db, storeId }: Tenant, { isUnread, below, limit }: InboxPage) {
  const mark = (await markOf(db, { storeId })).rows[0]?.mark ?? 0;
  let query = db
    .selectFrom('events')
    .select(['id', 'type', 'title', 'body', 'createdAt', 'readAt', 'sequence'])
    .where('storeId', '=', storeId)
    .where('sequence', '>', isUnread ? mark : 0)
    .orderBy('sequence', 'desc')
    .limit(limit);
  if (below !== null) query = query.where('sequence', '<', below);
  if (isUnread) query = query.where('readAt', 'is', null);
  const rows = await query.execute();
  return rows.map(({ readAt, ...row }) => ({ ...row, isRead: readAt !== null || row.sequence <= mark }));
}

const newest = statement<{ storeId: string }, { sequence: number }>`
  select sequence from events where store_id = ${'storeId'} and sequence > 0 order by sequence desc limit 1`;

const firstSince = statement<{ storeId: string; since: string }, { sequence: number }>`
  select sequence from events where store_id = ${'storeId'} and created_at >= ${'since'}
  order by created_at, sequence limit 1`;

const moveMark = pipelined<{ storeId: string; mark: number }>`
  update stores set mark = ${'mark'} where id = ${'storeId'} and mark < ${'mark'}`;

/** Moves the mark of the store, up to which all are read: to its newest event, or to just below the first since a time. */
export async function markAll({ db, storeId }: Tenant, since: string | undefined): Promise<void> {
  const [first] = since === undefined ? [] : (await firstSince(db, { storeId, since })).rows;
  const mark = first ? first.sequence - 1 : ((await newest(db, { storeId })).rows[0]?.sequence ?? 0);
  await moveMark(db, { storeId, mark });
}

/** Marks those with these ids. */
export async function markSome(
  { db, storeId }: Tenant,
  ids: readonly string[],
  readAt: string,
): Promise<void> {
  // PostgreSQL has no syntax for an empty list.
  if (ids.length === 0) return;
  await db
    .updateTable('events')
    .set({ readAt })
    .where('storeId', '=', storeId)
    .where('id', 'in', ids)
    .where('readAt', 'is', null)
    .execute();
}
