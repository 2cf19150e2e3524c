import type { SelectQueryBuilder } from 'kysely';
import type { EventData } from '../../model/event-types.ts';
import type { Schema } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import { isEmbedded, type Queries, type Tenant } from '../core/storage.ts';
import type { DiscordTemplate } from './endpoints.ts';

/** A dead delivery is not retried unless the operator revives it. */
export type DeliveryStatus = 'pending' | 'delivered' | 'dead';

export interface DeliveryRef {
  readonly storeId: string;
  readonly id: string;
}

/** A delivery that a worker has claimed until the end of its lease. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly endpointId: string;
  /** This one included. */
  readonly attempts: number;
  readonly firstAttemptAt: string;
  readonly secretUrl: string;
  /** Of the request that caused it. */
  readonly traceparent: string | null;
  readonly discordTemplate: DiscordTemplate | null;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly data: EventData;
    readonly createdAt: string;
  };
}

/**
 * Goes from one endpoint with pending deliveries to the next in their index, so it reads one row of each. Row security
 * lets PostgreSQL use an index only where plain columns are compared, and no subquery.
 */
const dueDeliveries = statement<{ now: string; limit: number }, DeliveryRef>`
  with recursive head(sequence) as (
    select * from (
      select sequence from deliveries
      where status = 'pending' order by store_id, endpoint_id, sequence limit 1
    ) as first
    union all
    select (
      select later.sequence from deliveries as later
      where later.status = 'pending' and (later.store_id, later.endpoint_id) > (current.store_id, current.endpoint_id)
      order by later.store_id, later.endpoint_id, later.sequence limit 1
    )
    from head join deliveries as current on current.sequence = head.sequence
  )
  select due.store_id, due.id from head
  join deliveries as due on due.sequence = head.sequence
  join endpoints as endpoint on endpoint.store_id = due.store_id and endpoint.id = due.endpoint_id
  where endpoint.enabled = 1 and endpoint.secret_url is not null and due.next_attempt_at <= ${'now'}
  order by due.next_attempt_at limit ${'limit'}`;

/**
 * Of each enabled endpoint of every store the oldest pending delivery, where it is due: the others of the endpoint
 * wait for it. The longest due come first.
 */
export async function listDue(db: Queries, now: string, limit: number): Promise<readonly DeliveryRef[]> {
  return (await dueDeliveries(db, { now, limit })).rows;
}

/**
 * Locks the row of a delivery and answers it. Undefined if it is no longer due or another worker is claiming it.
 */
export async function lockDue(
  { db, storeId }: Tenant,
  id: string,
  now: string,
): Promise<ClaimedDelivery | undefined> {
  const row = await skippingLocked(
    db,
    db
      .selectFrom('deliveries')
      .select(['id', 'endpointId', 'eventId', 'attempts', 'firstAttemptAt', 'traceparent'])
      .where('storeId', '=', storeId)
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .where('nextAttemptAt', '<=', now),
  ).executeTakeFirst();
  if (row === undefined) return undefined;

  const endpoint = await db
    .selectFrom('endpoints')
    .select(['secretUrl', 'discordTemplate'])
    .where('storeId', '=', storeId)
    .where('id', '=', row.endpointId)
    .where('enabled', '=', 1)
    .executeTakeFirst();
  if (typeof endpoint?.secretUrl !== 'string') return undefined;
  const event = await db
    .selectFrom('events')
    .select(['id', 'type', 'data', 'createdAt'])
    .where('storeId', '=', storeId)
    .where('id', '=', row.eventId)
    .executeTakeFirstOrThrow();
  return {
    id,
    endpointId: row.endpointId,
    attempts: row.attempts + 1,
    traceparent: row.traceparent,
    firstAttemptAt: row.firstAttemptAt ?? now,
    secretUrl: endpoint.secretUrl,
    discordTemplate: endpoint.discordTemplate === null ? null : JSON.parse(endpoint.discordTemplate),
    event: { ...event, data: JSON.parse(event.data) },
  };
}

/** The embedded engine has no row locks and needs none: changes run one after the other. */
function skippingLocked<Row>(
  db: Queries,
  query: SelectQueryBuilder<Schema, 'deliveries', Row>,
): SelectQueryBuilder<Schema, 'deliveries', Row> {
  return isEmbedded(db) ? query : query.forUpdate().skipLocked();
}

export interface DeliveryChanges {
  readonly status?: DeliveryStatus;
  readonly attempts?: number;
  readonly firstAttemptAt?: string;
  readonly claimedBy?: string | null;
  readonly nextAttemptAt?: string;
  readonly settledAt?: string;
  readonly lastError?: string | null;
}

/** Changes a delivery if it is still pending, and still claimed with this token if one is given. */
export async function updatePending(
  { db, storeId }: Tenant,
  id: string,
  changes: DeliveryChanges,
  claimedBy?: string,
): Promise<void> {
  let update = db
    .updateTable('deliveries')
    .set(changes)
    .where('storeId', '=', storeId)
    .where('id', '=', id)
    .where('status', '=', 'pending');
  if (claimedBy !== undefined) update = update.where('claimedBy', '=', claimedBy);
  await update.execute();
}

/** Disables the endpoint and makes its pending deliveries dead. */
export async function disableEndpoint(
  { db, storeId }: Tenant,
  endpointId: string,
  reason: string,
  now: string,
): Promise<void> {
  await db
    .updateTable('endpoints')
    .set({ enabled: 0, disabledReason: reason })
    .where('storeId', '=', storeId)
    .where('id', '=', endpointId)
    .execute();
  await db
    .updateTable('deliveries')
    .set({ status: 'dead', settledAt: now, lastError: reason, claimedBy: null })
    .where('storeId', '=', storeId)
    .where('endpointId', '=', endpointId)
    .where('status', '=', 'pending')
    .execute();
}

export interface DeliveryFilter {
  readonly storeId?: string | undefined;
  readonly id?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  /** Only these stores. */
  readonly among?: readonly string[] | undefined;
  /** None of these stores. */
  readonly except?: readonly string[] | undefined;
  readonly limit: number;
}

/** Newest first. The URLs are masked. */
export async function listDeliveries(db: Queries, filter: DeliveryFilter) {
  // PostgreSQL has no syntax for an empty list.
  if (filter.among?.length === 0) return [];
  let query = db
    .selectFrom('deliveries')
    .innerJoin('endpoints', (join) =>
      join
        .onRef('endpoints.storeId', '=', 'deliveries.storeId')
        .onRef('endpoints.id', '=', 'deliveries.endpointId'),
    )
    .innerJoin('events', (join) =>
      join.onRef('events.storeId', '=', 'deliveries.storeId').onRef('events.id', '=', 'deliveries.eventId'),
    )
    .select([
      'deliveries.id',
      'deliveries.storeId',
      'deliveries.eventId',
      'events.type as event',
      'endpoints.name as endpoint',
      'endpoints.maskedUrl as url',
      'deliveries.endpointId',
      'deliveries.status',
      'deliveries.attempts',
      'deliveries.nextAttemptAt',
      'deliveries.createdAt',
      'deliveries.settledAt',
      'deliveries.lastError',
    ])
    .orderBy('deliveries.sequence', 'desc')
    .limit(filter.limit);
  if (filter.storeId !== undefined) query = query.where('deliveries.storeId', '=', filter.storeId);
  if (filter.id !== undefined) query = query.where('deliveries.id', '=', filter.id);
  if (filter.status !== undefined) query = query.where('deliveries.status', '=', filter.status);
  if (filter.among !== undefined) query = query.where('deliveries.storeId', 'in', filter.among);
  if (filter.except !== undefined && filter.except.length > 0) {
    query = query.where('deliveries.storeId', 'not in', filter.except);
  }
  return query.execute();
}

/** Stores that have deliveries of this status. */
export async function listStoresWith(db: Queries, status: DeliveryStatus): Promise<string[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select('storeId')
    .distinct()
    .where('status', '=', status)
    .execute();
  return rows.map((row) => row.storeId);
}

/**
 * Makes one or all dead deliveries of a store pending and due, as if they had never been tried, and enables endpoints that
 * the worker has disabled. Returns the number of deliveries.
 */
export async function reviveDead(
  { db, storeId }: Tenant,
  now: string,
  id: string | undefined,
): Promise<number> {
  let dead = db
    .selectFrom('deliveries')
    .select('endpointId')
    .where('storeId', '=', storeId)
    .where('status', '=', 'dead');
  if (id !== undefined) dead = dead.where('id', '=', id);
  await db
    .updateTable('endpoints')
    .set({ enabled: 1, disabledReason: null })
    .where('storeId', '=', storeId)
    .where('disabledReason', 'is not', null)
    .where('id', 'in', dead)
    .execute();
  let revival = db
    .updateTable('deliveries')
    .set({ status: 'pending', attempts: 0, firstAttemptAt: null, settledAt: null, nextAttemptAt: now })
    .where('storeId', '=', storeId)
    .where('status', '=', 'dead');
  if (id !== undefined) revival = revival.where('id', '=', id);
  const result = await revival.executeTakeFirst();
  return Number(result.numUpdatedRows);
}
