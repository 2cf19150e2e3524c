import type { Tenant } from './storage.ts';

/** What an idempotency key is unique within. */
export interface KeyedRequest {
  readonly operation: string;
  /** Id in the path after the store's, empty where there is none. */
  readonly targetId: string;
  readonly key: string;
}

export interface StoredAnswer {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
}

/** The answer to the request, unless it has expired. */
export async function findAnswer(
  { db, storeId }: Tenant,
  request: KeyedRequest,
  now: string,
): Promise<StoredAnswer | undefined> {
  return db
    .selectFrom('idempotencyKeys')
    .select(['fingerprint', 'status', 'body'])
    .where('storeId', '=', storeId)
    .where('operation', '=', request.operation)
    .where('targetId', '=', request.targetId)
    .where('key', '=', request.key)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

export async function insertAnswer(
  { db, storeId }: Tenant,
  answer: KeyedRequest & StoredAnswer & { readonly createdAt: string; readonly expiresAt: string },
): Promise<void> {
  await db
    .insertInto('idempotencyKeys')
    .values({ ...answer, storeId })
    .execute();
}

export async function deleteExpiredAnswers({ db, storeId }: Tenant, time: string): Promise<void> {
  await db
    .deleteFrom('idempotencyKeys')
    .where('storeId', '=', storeId)
    .where('expiresAt', '<=', time)
    .execute();
}
