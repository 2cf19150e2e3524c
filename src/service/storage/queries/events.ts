import { createId } from '../../model/ids.ts';
import type { SettingsDocument } from '../../model/settings-document.ts';
import type { RecordOf } from '../core/schema.ts';
import { insert, statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';
import { scheduleNow } from './due.ts';

/** What the deliveries of an event have in common. */
export type Cause = Pick<RecordOf<'deliveries'>, 'eventId' | 'createdAt' | 'traceparent'>;

/**
 * In one statement, because every change asks for it. Because of row-level security, PostgreSQL would read all events of the
 * store for `max(sequence)`, and without statistics also for the last one unless there is a bound.
 */
const contextOf = statement<
  { storeId: string },
  { newest: number | null; document: string | null; id: string | null; events: string | null }
>`
  select settings.document, endpoint.id, endpoint.events,
    (select sequence from events where events.store_id = store.id and sequence > 0
      order by sequence desc limit 1) as newest
  from stores as store
  left join operations_settings as settings on settings.store_id = store.id
  left join endpoints as endpoint
    on endpoint.store_id = store.id and endpoint.enabled = 1 and endpoint.secret_url is not null
  where store.id = ${'storeId'}`;

/**
 * What an event is written with: its number, the saved settings of the store, and the ids of the endpoints that it is sent to.
 * To be called in a change of the store.
 */
export async function findEventContext({ db, storeId }: Tenant, eventType: string) {
  const { rows } = await contextOf(db, { storeId });
  const document = rows[0]?.document;
  const settings = document ? (JSON.parse(document) as Partial<SettingsDocument>) : undefined;
  const subscribers = rows.flatMap(({ id, events }) =>
    id !== null && events !== null && JSON.parse(events).includes(eventType) ? [id] : [],
  );
  return { sequence: (rows[0]?.newest ?? 0) + 1, settings, subscribers };
}

/** One for each endpoint. They start out pending, and make their endpoints due at once. */
export async function insertDeliveries(
  tenant: Tenant,
  endpointIds: readonly string[],
  cause: Cause,
): Promise<void> {
  // Endpoints are locked before deliveries.
  await scheduleNow(tenant, endpointIds, cause.createdAt);
  for (const endpointId of endpointIds) {
    const delivery = { ...cause, id: createId(), endpointId, status: 'pending', attempts: 0 };
    await insert(tenant, 'deliveries', delivery);
  }
}
