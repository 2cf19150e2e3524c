import { sql } from 'kysely';
import { pipelined, statement } from '../core/statement.ts';
import type { ObjectRef, Queries, Tenant } from '../core/storage.ts';

/** A dead delivery is not retried unless the operator revives it. */
export type DeliveryStatus = 'pending' | 'delivered' | 'dead';

/** An endpoint that a worker has locked, with what sending to it needs. */
export interface DueEndpoint extends ObjectRef {
  /** Null if nothing can be sent there. */
  readonly secretUrl: string | null;
  readonly isEnabled: boolean;
  /** Whether the last attempt failed. */
  readonly isFailing: boolean;
  /** JSON or null. */
  readonly discordTemplate: string | null;
}

/** How many endpoints a worker has room for: `failing` of `total`, and these come last. */
export interface Room {
  readonly total: number;
  readonly failing: number;
}

/** Endpoints that are due, the longest due first. They are locked, without those that another worker has locked. */
export async function lockDue(db: Queries, now: string, room: Room): Promise<DueEndpoint[]> {
  const healthy = await selectDue(db, now, false, room.total);
  const left = Math.min(room.failing, room.total - healthy.length);
  return left > 0 ? [...healthy, ...(await selectDue(db, now, true, left))] : healthy;
}

async function selectDue(
  db: Queries,
  now: string,
  isFailing: boolean,
  limit: number,
): Promise<DueEndpoint[]> {
  const query = db
    .selectFrom('endpoints')
    .select(['storeId', 'id', 'secretUrl', 'enabled', 'discordTemplate'])
    .where('isFailing', '=', isFailing ? 1 : 0)
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .limit(limit);
  // The embedded engine has no row locks and needs none: changes run one after the other.
  const rows = await (db.engine === 'embedded' ? query : query.forNoKeyUpdate().skipLocked()).execute();
  return rows.map(({ enabled, ...row }) => ({ ...row, isEnabled: enabled === 1, isFailing }));
}

/** Whether {@link lockDue} would find one. */
export async function isAnyDue(db: Queries, now: string, room: Room): Promise<boolean> {
  const [row] = (await anyDue(db, { now, maxFailing: room.failing > 0 ? 1 : 0 })).rows;
  return row !== undefined;
}

const anyDue = statement<{ now: string; maxFailing: number }, { id: string }>`
  select id from endpoints where is_failing in (0, ${'maxFailing'}) and due_at <= ${'now'} limit 1`;

/** The oldest pending delivery of an endpoint, with the rest of what its message is made of. */
export interface PendingDelivery {
  readonly id: string;
  /** So far. */
  readonly attempts: number;
  readonly firstAttemptAt: string | null;
  /** Of the request that caused it. */
  readonly traceparent: string | null;
  readonly eventId: string;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  readonly createdAt: string;
  /** Settings of the store as JSON, null for the defaults. */
  readonly settings: string | null;
}

const oldestPending = statement<{ storeId: string; id: string }, PendingDelivery>`
  select delivery.id, delivery.attempts, delivery.first_attempt_at, delivery.traceparent, event.id as event_id,
    event.type, event.data, event.created_at, settings.document as settings
  from deliveries as delivery
  join events as event on event.store_id = delivery.store_id and event.id = delivery.event_id
  left join operations_settings as settings on settings.store_id = delivery.store_id
  where delivery.store_id = ${'storeId'} and delivery.endpoint_id = ${'id'} and delivery.status = 'pending'
  order by delivery.sequence limit 1`;

/** Lock the endpoint before, or an event that is recorded meanwhile waits until the next one. */
export async function findPending(db: Queries, endpoint: ObjectRef): Promise<PendingDelivery | undefined> {
  return (await oldestPending(db, endpoint)).rows[0];
}

const claimEndpoint = pipelined<ObjectRef & { token: string; until: string; now: string }>`
  update endpoints set claimed_by = ${'token'}, due_at = ${'until'}, due_since = ${'now'}, held = 0
  where store_id = ${'storeId'} and id = ${'id'}`;

const countAttempt = pipelined<ObjectRef & { now: string }>`
  update deliveries set attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ${'now'})
  where store_id = ${'storeId'} and id = ${'id'}`;

/** Begins an attempt: the endpoint belongs to the owner of this token until the claim ends. */
export async function claim(
  db: Queries,
  { storeId, id }: ObjectRef,
  deliveryId: string,
  times: { readonly token: string; readonly until: string; readonly now: string },
): Promise<void> {
  await claimEndpoint(db, { storeId, id, ...times });
  await countAttempt(db, { storeId, id: deliveryId, now: times.now });
}

/** Ends the claim of an endpoint, and says when it is due next: null if nothing is pending. */
export const schedule = pipelined<
  ObjectRef & { dueAt: string | null; now: string; held: boolean; isFailing: boolean }
>`
  update endpoints set claimed_by = null, due_at = ${'dueAt'}, due_since = ${'now'}, held = ${'held'}, is_failing = ${'isFailing'}
  where store_id = ${'storeId'} and id = ${'id'}`;

/** Locks an endpoint. Returns the token of its claim. */
export async function lockClaim(db: Queries, { storeId, id }: ObjectRef): Promise<string | null> {
  const query = db
    .selectFrom('endpoints')
    .select('claimedBy')
    .where('storeId', '=', storeId)
    .where('id', '=', id);
  const row = await (db.engine === 'embedded' ? query : query.forNoKeyUpdate()).executeTakeFirst();
  return row?.claimedBy ?? null;
}

/** Writes the result of an attempt if the delivery is still pending. `settledAt` is null if it stays so. */
export const saveOutcome = pipelined<
  ObjectRef & { status: DeliveryStatus; settledAt: string | null; lastError: string | null }
>`
  update deliveries set status = ${'status'}, settled_at = ${'settledAt'}, last_error = ${'lastError'}
  where store_id = ${'storeId'} and id = ${'id'} and status = 'pending'`;

const disable = pipelined<ObjectRef & { reason: string }>`
  update endpoints set enabled = 0, disabled_reason = ${'reason'}, due_at = null, held = 0, claimed_by = null
  where store_id = ${'storeId'} and id = ${'id'}`;

const giveUp = pipelined<ObjectRef & { reason: string; now: string }>`
  update deliveries set status = 'dead', settled_at = ${'now'}, last_error = ${'reason'}
  where store_id = ${'storeId'} and endpoint_id = ${'id'} and status = 'pending'`;

/** Disables the endpoint and makes its pending deliveries dead. */
export async function disableEndpoint(
  db: Queries,
  { storeId, id }: ObjectRef,
  reason: string,
  now: string,
): Promise<void> {
  await disable(db, { storeId, id, reason });
  await giveUp(db, { storeId, id, reason, now });
}

export interface DeliveryFilter {
  readonly storeId?: string | undefined;
  readonly id?: string | undefined;
  /** `held`: pending, and waiting for the end of quiet hours; other pending ones are not. */
  readonly state?: DeliveryStatus | 'held' | undefined;
  readonly limit: number;
}

/** Newest first. The URLs are masked. */
export async function findDeliveries(db: Queries, filter: DeliveryFilter) {
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
      'endpoints.held',
      'endpoints.dueAt',
      'deliveries.createdAt',
      'deliveries.settledAt',
      'deliveries.lastError',
    ])
    .orderBy('deliveries.sequence', 'desc')
    .limit(filter.limit);
  const { storeId, id, state } = filter;
  if (storeId !== undefined) query = query.where('deliveries.storeId', '=', storeId);
  if (id !== undefined) query = query.where('deliveries.id', '=', id);
  const status = state === 'held' ? 'pending' : state;
  if (status !== undefined) query = query.where('deliveries.status', '=', status);
  if (status === 'pending') query = query.where('endpoints.held', '=', state === 'held' ? 1 : 0);
  return query.execute();
}

/** Stores that have dead deliveries. */
export async function listStoresWithDead(db: Queries): Promise<string[]> {
  const dead = db.selectFrom('deliveries').select('storeId').distinct().where('status', '=', 'dead');
  return (await dead.execute()).map(({ storeId }) => storeId);
}

/**
 * Makes one or all dead deliveries of a store pending, as if they had never been tried, and their endpoints due. It enables
 * endpoints that the worker has disabled. Returns the number of deliveries.
 */
export async function reviveDead(
  { db, storeId }: Tenant,
  now: string,
  id: string | undefined,
): Promise<number> {
  const ofStore = sql`store_id = ${storeId}`;
  const dead = sql`${ofStore} and status = 'dead' and ${id === undefined ? sql`true` : sql`id = ${id}`}`;
  // The worker that sends to an endpoint finds them when it has finished.
  await sql`
    update endpoints set enabled = case when disabled_reason is null then enabled else 1 end, disabled_reason = null,
      due_at = case when claimed_by is null then ${now} else due_at end,
      due_since = case when claimed_by is null then ${now} else due_since end, held = 0
    where ${ofStore} and id in (select endpoint_id from deliveries where ${dead})`.execute(db);
  const { numAffectedRows } = await sql`
    update deliveries set status = 'pending', attempts = 0, first_attempt_at = null, settled_at = null
    where ${dead}`.execute(db);
  return Number(numAffectedRows);
}
