import { timestamp } from '../../model/time.ts';
import { pipelined } from '../core/statement.ts';
import type { ObjectRef, Queries, Tenant } from '../core/storage.ts';

/** Changes that give the delivery worker something to send. */

/**
 * Makes endpoints due that have something to send. One that waits, such as for the end of a pause, stays so. There is no
 * condition on null: a worker that has just sent the last message of an endpoint either sees the new one or waits for this.
 */
export async function scheduleNow(
  { db, storeId }: Tenant,
  ids: readonly string[],
  now: string,
): Promise<void> {
  // PostgreSQL has no syntax for an empty list.
  if (ids.length === 0) return;
  await db
    .updateTable('endpoints')
    .set(({ fn, val, ref, eb }) => ({
      dueAt: fn.coalesce('dueAt', val(now)),
      dueSince: eb.case().when('dueAt', 'is', null).then(val(now)).else(ref('dueSince')).end(),
    }))
    .where('storeId', '=', storeId)
    .where('id', 'in', ids)
    .execute();
}

/** Makes the store's endpoints due that quiet hours hold. */
export const unhold = pipelined<{ storeId: string; now: string }>`
  update endpoints set due_at = ${'now'}, due_since = ${'now'}, held = 0 where store_id = ${'storeId'} and held = 1`;

/** How far the clocks of instances on several machines may differ. */
const maxSkewMs = 5_000;

/** Endpoints to reschedule in one transaction. */
const maxAtOnce = 500;

/**
 * Gives endpoints that wait since a time that is still to come the rest of their wait from now on: the clock was put back
 * after they were scheduled, and they would wait as much longer. Quiet hours end by the clock, so what they hold stays.
 * Returns the number of endpoints, at most 500 at a time.
 */
export async function rescheduleAhead(db: Queries, now: number): Promise<number> {
  const query = selectAhead(db, now).limit(maxAtOnce);
  const rows = await (db.engine === 'embedded' ? query : query.forNoKeyUpdate().skipLocked()).execute();
  for (const { storeId, id, dueAt, dueSince } of rows) {
    const waitMs = Math.max(0, Date.parse(dueAt ?? '') - Date.parse(dueSince ?? ''));
    await reschedule(db, { storeId, id, dueAt: timestamp(now + waitMs), now: timestamp(now) });
  }
  return rows.length;
}

/** Whether {@link rescheduleAhead} would find one. */
export async function isAnyAhead(db: Queries, now: number): Promise<boolean> {
  return (await selectAhead(db, now).limit(1).execute()).length > 0;
}

function selectAhead(db: Queries, now: number) {
  return db
    .selectFrom('endpoints')
    .select(['storeId', 'id', 'dueAt', 'dueSince'])
    .where('isFailing', 'in', [0, 1])
    .where('dueAt', '>', timestamp(now))
    .where('dueSince', '>', timestamp(now + maxSkewMs))
    .where('held', '=', 0)
    .orderBy('dueAt');
}

const reschedule = pipelined<ObjectRef & { dueAt: string; now: string }>`
  update endpoints set due_at = ${'dueAt'}, due_since = ${'now'} where store_id = ${'storeId'} and id = ${'id'}`;
