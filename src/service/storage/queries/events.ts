import { insertRows } from '../core/insert-rows.ts';
import type { RecordOf } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

/** With the title and the body of the notification. */
export type EventRecord = Omit<RecordOf<'events', { data: unknown }>, 'readAt'>;

export type DeliveryRecord = Pick<RecordOf<'deliveries'>, 'id' | 'eventId' | 'endpointId' | 'createdAt'>;

const insertEventRow = statement<EventRecord & { storeId: string; json: string }>`
  insert into events (store_id, id, type, data, title, body, created_at)
  values (${'storeId'}, ${'id'}, ${'type'}, ${'json'}, ${'title'}, ${'body'}, ${'createdAt'})`;

/** The notification starts out unread. */
export async function insertEvent({ db, storeId }: Tenant, event: EventRecord): Promise<void> {
  await insertEventRow(db, { ...event, storeId, json: JSON.stringify(event.data) });
}

/** Deliveries start out pending and due at once. */
export async function insertDeliveries(
  { db, storeId }: Tenant,
  deliveries: readonly DeliveryRecord[],
): Promise<void> {
  const rows = deliveries.map((delivery) => ({
    ...delivery,
    storeId,
    status: 'pending',
    attempts: 0,
    nextAttemptAt: delivery.createdAt,
  }));
  await insertRows(db, 'deliveries', rows, (_, row) => db.insertInto('deliveries').values(row).execute());
}

/** Oldest first. */
export async function listNotifications({ db, storeId }: Tenant) {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'title', 'readAt'])
    .where('storeId', '=', storeId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return rows.map(({ id, title, readAt }) => ({ id, title, read: readAt !== null }));
}

export interface NotificationFilter {
  readonly ids?: readonly string[];
  /** Only those that are older than this time. */
  readonly before?: string;
}

/** Marks unread notifications of the store that match the filter. */
export async function markNotifications(
  { db, storeId }: Tenant,
  filter: NotificationFilter,
  readAt: string,
): Promise<void> {
  // PostgreSQL has no syntax for an empty list.
  if (filter.ids?.length === 0) return;
  let update = db
    .updateTable('events')
    .set({ readAt })
    .where('storeId', '=', storeId)
    .where('readAt', 'is', null);
  if (filter.ids !== undefined) update = update.where('id', 'in', filter.ids);
  if (filter.before !== undefined) update = update.where('createdAt', '<', filter.before);
  await update.execute();
}
