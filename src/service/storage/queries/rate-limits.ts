import { sql } from 'kysely';
import type { Tenant } from '../core/storage.ts';

/** A request that takes a token. `now` is in epoch milliseconds. */
export interface BucketUse {
  readonly keyId: string;
  readonly now: number;
  /** Time in which the bucket gains one token. */
  readonly tokenMs: number;
  readonly burst: number;
}

/**
 * Takes a token from the bucket of a key and answers when the bucket will be full. Undefined if the bucket is empty.
 */
export async function takeToken({ db, storeId }: Tenant, use: BucketUse): Promise<number | undefined> {
  const { keyId, now, tokenMs, burst } = use;
  const row = await db
    .insertInto('rateLimits')
    .values({ storeId, keyId, fullAt: now + tokenMs })
    .onConflict((conflict) =>
      conflict
        .columns(['storeId', 'keyId'])
        .doUpdateSet({ fullAt: sql`greatest(rate_limits.full_at, ${now}) + ${tokenMs}` })
        .where(sql<boolean>`greatest(rate_limits.full_at, ${now}) + ${tokenMs} <= ${now + burst * tokenMs}`),
    )
    .returning('fullAt')
    .executeTakeFirst();
  return row?.fullAt;
}

/** When the bucket will be full. */
export async function findFullAt({ db, storeId }: Tenant, keyId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('rateLimits')
    .select('fullAt')
    .where('storeId', '=', storeId)
    .where('keyId', '=', keyId)
    .executeTakeFirst();
  return row?.fullAt;
}
