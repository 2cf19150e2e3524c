import { effect } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

/** Changes that give the delivery worker something to send. */

/**
 * Makes endpoints due that have something to send. One that waits, such as for the end of a pause, stays so. There is no
 * condition on null: a worker that has just sent the last message of an endpoint either sees the new one or waits for this.
 */
export async function makeDue({ db, storeId }: Tenant, ids: readonly string[], now: string): Promise<void> {
  // PostgreSQL has no syntax for an empty list.
  if (ids.length === 0) return;
  await db
    .updateTable('endpoints')
    .set(({ fn, val }) => ({ dueAt: fn.coalesce('dueAt', val(now)) }))
    .where('storeId', '=', storeId)
    .where('id', 'in', ids)
    .execute();
}

/** Makes the store's endpoints due that quiet hours hold. */
export const releaseHeld = effect<{ storeId: string; now: string }>`
  update endpoints set due_at = ${'now'}, held = 0 where store_id = ${'storeId'} and held = 1`;
