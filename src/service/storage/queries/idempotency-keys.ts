import { sql } from 'kysely';
import { pipelined, statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

/** An idempotency key is unique within its operation and target. */
export interface KeyedRequest {
  readonly operation: string;
  /** Id in the path after the store's, or empty. */
  readonly targetId: string;
  readonly key: string;
}

export interface StoredResponse {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
  /** JSON. */
  readonly headers: string | null;
  readonly expiresAt: string;
}

const selectResponse = statement<KeyedRequest & { storeId: string }, StoredResponse>`
  select fingerprint, status, body, headers, expires_at from idempotency_keys
  where store_id = ${'storeId'} and operation = ${'operation'} and target_id = ${'targetId'} and key = ${'key'}`;

/** The stored response to the request, which may be expired. */
export async function findResponse(
  { db, storeId }: Tenant,
  request: KeyedRequest,
): Promise<StoredResponse | undefined> {
  return (await selectResponse(db, { ...request, storeId })).rows[0];
}

export const deleteResponse = pipelined<KeyedRequest & { storeId: string }>`
  delete from idempotency_keys
  where store_id = ${'storeId'} and operation = ${'operation'} and target_id = ${'targetId'} and key = ${'key'}`;

/** How many responses one sweep looks at. */
const sweepSize = 1_000;

/**
 * Deletes some of the expired responses and returns how many. PostgreSQL has an index by expiry and deletes those of the
 * store. The embedded engine has none, because every keyed change would have to update it, and looks at the oldest rows of
 * all stores instead.
 */
export async function deleteExpiredResponses({ db, storeId }: Tenant, time: string): Promise<number> {
  const oldest =
    db.engine === 'embedded'
      ? sql`rowid in (select rowid from idempotency_keys order by rowid limit ${sweepSize})`
      : sql`ctid in (select ctid from idempotency_keys
        where store_id = ${storeId} and expires_at <= ${time} limit ${sweepSize})`;
  const { numDeletedRows } = await db
    .deleteFrom('idempotencyKeys')
    .where('expiresAt', '<=', time)
    .where(sql<boolean>`${oldest}`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** How many responses of the store are expired. */
export async function countExpiredResponses({ db, storeId }: Tenant, time: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from idempotency_keys where store_id = ${storeId} and expires_at <= ${time}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
