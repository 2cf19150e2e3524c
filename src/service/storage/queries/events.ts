import { prepareAppend } from '../core/prepared.ts';
import type { Tenant } from '../core/storage.ts';

export interface EventRecord {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  /** Of the notification. */
  readonly title: string;
  readonly body: string;
  readonly createdAt: string;
}

export interface DeliveryRecord {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly createdAt: string;
}

const insertIntoEvents = prepareAppend('events');
const insertIntoDeliveries = prepareAppend('deliveries');

/*
 * Rows are written out, member by member: with every change there are several, and to copy an object of unknown members
 * takes an engine as long as to insert it.
 */

/** The notification starts out unread. */
export async function insertEvent(
  { db, storeId }: Tenant,
  { id, type, data, title, body, createdAt }: EventRecord,
): Promise<void> {
  const json = JSON.stringify(data);
  await insertIntoEvents(db, { storeId, id, type, data: json, title, body, createdAt, readAt: null });
}

/** Deliveries start out pending, and due at once. */
export async function insertDelivery(
  { db, storeId }: Tenant,
  { id, eventId, endpointId, createdAt }: DeliveryRecord,
): Promise<void> {
  const state = { status: 'pending', attempts: 0, nextAttemptAt: createdAt };
  await insertIntoDeliveries(db, { storeId, id, eventId, endpointId, createdAt, ...state });
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
  /** Only those made before this time. */
  readonly before?: string;
}

/** Marks the store's unread notifications that pass the filter. One that is read stays as it is. */
export async function markNotifications(
  { db, storeId }: Tenant,
  filter: NotificationFilter,
  readAt: string,
): Promise<void> {
  // PostgreSQL has no empty list.
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
