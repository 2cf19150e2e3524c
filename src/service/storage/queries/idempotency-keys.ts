import { sql } from 'kysely';
import { statement } from '../core/statement.ts';
import { isEmbedded, type Tenant } from '../core/storage.ts';

/** An idempotency key is unique within its operation and target. */
export interface KeyedRequest {
  readonly operation: string;
  /** Id in the path after the store's, or empty. */
  readonly targetId: string;
  readonly key: string;
}

export interface StoredAnswer {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
}

interface AnswerRow extends KeyedRequest, StoredAnswer {
  readonly storeId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

const answerTo = statement<KeyedRequest & { storeId: string }, StoredAnswer & { readonly expiresAt: string }>`
  select fingerprint, status, body, expires_at from idempotency_keys
  where store_id = ${'storeId'} and operation = ${'operation'} and target_id = ${'targetId'} and key = ${'key'}`;

/** The stored answer to the request, unless it is expired. */
export async function findAnswer(
  { db, storeId }: Tenant,
  { operation, targetId, key }: KeyedRequest,
  now: string,
): Promise<StoredAnswer | undefined> {
  const [answer] = (await answerTo(db, { storeId, operation, targetId, key })).rows;
  return answer !== undefined && answer.expiresAt > now ? answer : undefined;
}

const insertRow = statement<AnswerRow>`
  insert into idempotency_keys
    (store_id, operation, target_id, key, fingerprint, status, body, created_at, expires_at)
  values (${'storeId'}, ${'operation'}, ${'targetId'}, ${'key'}, ${'fingerprint'}, ${'status'}, ${'body'},
    ${'createdAt'}, ${'expiresAt'})
  on conflict do nothing`;

const deleteExpired = statement<AnswerRow>`
  delete from idempotency_keys where store_id = ${'storeId'} and operation = ${'operation'}
    and target_id = ${'targetId'} and key = ${'key'} and expires_at <= ${'createdAt'}`;

/** Replaces an expired answer with this key. Returns false and inserts nothing if one is still valid. */
export async function insertAnswer(
  { db, storeId }: Tenant,
  answer: Omit<AnswerRow, 'storeId'>,
): Promise<boolean> {
  const row = { ...answer, storeId };
  if ((await insertRow(db, row)).changes > 0) return true;
  // Not updated: the sweep of expired answers looks at the oldest rows, and this one is new.
  return (await deleteExpired(db, row)).changes > 0 && (await insertRow(db, row)).changes > 0;
}

/** How many answers one sweep looks at. */
const sweepSize = 1_000;

/**
 * Deletes some of the expired answers and answers how many. PostgreSQL has an index by expiry and deletes those of the
 * store. The embedded engine has none, because every keyed change would have to update it, and looks at the oldest rows of
 * all stores instead.
 */
export async function deleteExpiredAnswers({ db, storeId }: Tenant, time: string): Promise<number> {
  const oldest = isEmbedded(db)
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

/** How many answers of the store are expired. */
export async function countExpiredAnswers({ db, storeId }: Tenant, time: string): Promise<number> {
  const row = await db
    .selectFrom('idempotencyKeys')
    .select((query) => query.fn.countAll().as('count'))
    .where('storeId', '=', storeId)
    .where('expiresAt', '<=', time)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
