import type { SettingsDocument } from '../../model/settings-document.ts';
import { gather } from '../core/gather.ts';
import { insertion } from '../core/insertion.ts';
import type { RecordOf } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import { isEmbedded, type Tenant } from '../core/storage.ts';
import { makeDue } from './endpoints.ts';

/** With the title and the body of the notification. */
export type EventRecord = Omit<RecordOf<'events', { data: unknown }>, 'readAt' | 'sequence'>;

export type DeliveryRecord = Pick<
  RecordOf<'deliveries'>,
  'id' | 'eventId' | 'endpointId' | 'createdAt' | 'traceparent'
>;

const insertEvents = insertion('events', ['id', 'type', 'data', 'title', 'body', 'createdAt']);

/** The notification starts out unread. */
export async function insertEvent(tenant: Tenant, event: EventRecord): Promise<void> {
  await insertEvents(tenant, [{ ...event, data: JSON.stringify(event.data) }]);
}

interface ContextRow {
  readonly document: string | null;
  readonly id: string | null;
  readonly events: string | null;
}

/** In one statement, because every change asks for it. */
const contextOf = statement<{ storeId: string }, ContextRow>`
  select settings.document, endpoint.id, endpoint.events from stores as store
  left join operations_settings as settings on settings.store_id = store.id
  left join endpoints as endpoint
    on endpoint.store_id = store.id and endpoint.enabled = 1 and endpoint.secret_url is not null
  where store.id = ${'storeId'} order by endpoint.id`;

const findContext = gather(async ({ db, storeId }) => {
  const { rows } = await contextOf(db, { storeId });
  const document = rows[0]?.document;
  return {
    settings: document ? (JSON.parse(document) as Partial<SettingsDocument>) : undefined,
    endpoints: rows.flatMap(({ id, events }) =>
      id !== null && events !== null ? [{ id, events: JSON.parse(events) as string[] }] : [],
    ),
  };
});

/** What an event is written with: the saved settings of the store, and the ids of the endpoints that it is sent to. */
export async function findEventContext(tenant: Tenant, eventType: string) {
  const { settings, endpoints } = await findContext(tenant, null);
  const subscribers = endpoints.filter(({ events }) => events.includes(eventType)).map(({ id }) => id);
  return { settings, subscribers };
}

const insertDeliveryRows = insertion('deliveries', [
  'id',
  'eventId',
  'endpointId',
  'createdAt',
  'traceparent',
  'status',
  'attempts',
]);

/** Deliveries start out pending, and their endpoints due at once. */
export async function insertDeliveries(tenant: Tenant, deliveries: readonly DeliveryRecord[]): Promise<void> {
  const [first] = deliveries;
  if (first === undefined) return;
  await insertDeliveryRows(
    tenant,
    deliveries.map((delivery) => ({ ...delivery, status: 'pending', attempts: 0 })),
  );
  const endpointIds = deliveries.map(({ endpointId }) => endpointId);
  await makeDue(tenant, endpointIds, first.createdAt);
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

interface MarkValues {
  readonly storeId: string;
  readonly before: string;
  readonly readAt: string;
  readonly limit: number;
}

/** In no order and by rowid: in statistics of ANALYZE, SQLite finds reason to sort all unread events for each step. */
const markUnread = statement<MarkValues>`
  update events set read_at = ${'readAt'} where rowid in (
    select rowid from events where store_id = ${'storeId'} and read_at is null and created_at < ${'before'}
    limit ${'limit'})`;

/** With an array, because PostgreSQL may join a subquery with every event of the store. */
const markUnreadOnPostgres = statement<MarkValues>`
  update events set read_at = ${'readAt'} where store_id = ${'storeId'} and id = any(array(
    select id from events where store_id = ${'storeId'} and read_at is null and created_at < ${'before'}
    order by created_at limit ${'limit'}))`;

/**
 * Marks unread notifications of the store: those with these ids, else up to `limit` of those that are older than `before`.
 * Answers how many.
 */
export async function markNotifications(
  { db, storeId }: Tenant,
  { ids, before = '9999' }: NotificationFilter,
  readAt: string,
  limit: number,
): Promise<number> {
  if (ids === undefined) {
    const mark = isEmbedded(db) ? markUnread : markUnreadOnPostgres;
    return (await mark(db, { storeId, before, readAt, limit })).changes;
  }
  // PostgreSQL has no syntax for an empty list.
  if (ids.length === 0) return 0;
  const { numUpdatedRows } = await db
    .updateTable('events')
    .set({ readAt })
    .where('storeId', '=', storeId)
    .where('id', 'in', ids)
    .where('readAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
