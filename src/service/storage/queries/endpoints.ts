import type { RecordOf } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

export interface DiscordTemplate {
  readonly title: string | null;
  readonly description: string | null;
  readonly color: string | null;
}

interface EndpointValues {
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly discordTemplate: DiscordTemplate | null;
}

/** An endpoint without its secret URL, as in answers and backups. */
export type EndpointRecord = Pick<
  RecordOf<'endpoints', EndpointValues>,
  'id' | 'kind' | 'name' | 'maskedUrl' | 'events' | 'enabled' | 'discordTemplate' | 'createdAt'
>;

/** Ordered by id. */
export async function listEndpoints({ db, storeId }: Tenant): Promise<EndpointRecord[]> {
  const rows = await db
    .selectFrom('endpoints')
    .select(['id', 'kind', 'name', 'maskedUrl', 'events', 'enabled', 'discordTemplate', 'createdAt'])
    .where('storeId', '=', storeId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...row,
    events: JSON.parse(row.events),
    enabled: row.enabled === 1,
    discordTemplate: row.discordTemplate === null ? null : JSON.parse(row.discordTemplate),
  }));
}

/** Returns false and inserts nothing if the store has an endpoint with this URL. */
export async function insertEndpoint(
  { db, storeId }: Tenant,
  endpoint: EndpointRecord,
  secretUrl: string,
): Promise<boolean> {
  const result = await db
    .insertInto('endpoints')
    .values({ ...toRow(endpoint), storeId, secretUrl })
    .onConflict((conflict) => conflict.columns(['storeId', 'secretUrl']).doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows) > 0;
}

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

const release = statement<{ storeId: string; now: string }>`
  update endpoints set due_at = ${'now'}, held = 0 where store_id = ${'storeId'} and held = 1`;

/** Makes the store's endpoints due that quiet hours hold. */
export async function releaseHeld({ db, storeId }: Tenant, now: string): Promise<void> {
  await release(db, { storeId, now });
}

/**
 * Replaces the endpoints of the store. Those that exist keep their secret URL, and those that an earlier call has removed
 * get theirs back; others get none.
 */
export async function replaceEndpoints(
  { db, storeId }: Tenant,
  endpoints: readonly EndpointRecord[],
): Promise<void> {
  const ids = new Set(endpoints.map(({ id }) => id));
  const current = await db
    .selectFrom('endpoints')
    .select(['id', 'secretUrl'])
    .where('storeId', '=', storeId)
    .execute();
  for (const { id, secretUrl } of current.filter((endpoint) => !ids.has(endpoint.id))) {
    await db.deleteFrom('endpoints').where('storeId', '=', storeId).where('id', '=', id).execute();
    if (secretUrl === null) continue;
    await db
      .insertInto('removedEndpoints')
      .values({ storeId, endpointId: id, secretUrl })
      .onConflict((conflict) => conflict.columns(['storeId', 'endpointId']).doUpdateSet({ secretUrl }))
      .execute();
  }
  for (const endpoint of endpoints) {
    const row = toRow(endpoint);
    const removed = await db
      .deleteFrom('removedEndpoints')
      .where('storeId', '=', storeId)
      .where('endpointId', '=', endpoint.id)
      .returning('secretUrl')
      .executeTakeFirst();
    await db
      .insertInto('endpoints')
      .values({ ...row, storeId, secretUrl: removed?.secretUrl ?? null })
      .onConflict((conflict) =>
        conflict
          .columns(['storeId', 'id'])
          .doUpdateSet({ ...row, ...(endpoint.enabled && { disabledReason: null }) }),
      )
      .execute();
  }
}

function toRow(endpoint: EndpointRecord) {
  return {
    ...endpoint,
    events: JSON.stringify(endpoint.events),
    enabled: endpoint.enabled ? 1 : 0,
    discordTemplate: endpoint.discordTemplate && JSON.stringify(endpoint.discordTemplate),
  };
}
