import { prepareInsert } from './prepared.ts';
import type { Tenant } from './storage.ts';

export interface EventRecord {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly createdAt: string;
}

export interface NotificationRecord {
  readonly id: string;
  readonly eventId: string;
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

const insertIntoEvents = prepareInsert('events');
const insertIntoNotifications = prepareInsert('notifications');
const insertIntoDeliveries = prepareInsert('deliveries');

export async function insertEvent({ db, storeId }: Tenant, event: EventRecord): Promise<void> {
  await insertIntoEvents(db, { ...event, storeId, data: JSON.stringify(event.data) });
}

export async function insertNotification(
  { db, storeId }: Tenant,
  notification: NotificationRecord,
): Promise<void> {
  await insertIntoNotifications(db, { ...notification, storeId, readAt: null });
}

/** Deliveries start out pending, and due at once. */
export async function insertDelivery({ db, storeId }: Tenant, delivery: DeliveryRecord): Promise<void> {
  const { createdAt } = delivery;
  const state = { status: 'pending', attempts: 0, nextAttemptAt: createdAt };
  await insertIntoDeliveries(db, { ...delivery, storeId, ...state });
}

/** Oldest first. */
export async function listNotifications({ db, storeId }: Tenant) {
  const rows = await db
    .selectFrom('notifications')
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
    .updateTable('notifications')
    .set({ readAt })
    .where('storeId', '=', storeId)
    .where('readAt', 'is', null);
  if (filter.ids !== undefined) update = update.where('id', 'in', filter.ids);
  if (filter.before !== undefined) update = update.where('createdAt', '<', filter.before);
  await update.execute();
}
