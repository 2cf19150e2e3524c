import { sql } from 'kysely';
import { prepare, prepareAppend } from './prepared.ts';
import { isEmbedded, type Tenant } from './storage.ts';

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

const answerTo = prepare((db, values: KeyedRequest & { readonly storeId: string; readonly now: string }) =>
  db
    .selectFrom('idempotencyKeys')
    .select(['fingerprint', 'status', 'body'])
    .where('storeId', '=', values.storeId)
    .where('operation', '=', values.operation)
    .where('targetId', '=', values.targetId)
    .where('key', '=', values.key)
    .where('expiresAt', '>', values.now),
);

/** The answer to the request, unless it has expired. */
export async function findAnswer(
  { db, storeId }: Tenant,
  { operation, targetId, key }: KeyedRequest,
  now: string,
): Promise<StoredAnswer | undefined> {
  const [answer] = await answerTo(db, { storeId, operation, targetId, key, now });
  return answer;
}

/** Takes the place of one that has expired and is still there, and of no other. */
const insert = prepareAppend('idempotencyKeys', (query) =>
  query.onConflict((conflict) =>
    conflict
      .columns(['storeId', 'operation', 'targetId', 'key'])
      .doUpdateSet((given) => ({
        fingerprint: given.ref('excluded.fingerprint'),
        status: given.ref('excluded.status'),
        body: given.ref('excluded.body'),
        createdAt: given.ref('excluded.createdAt'),
        expiresAt: given.ref('excluded.expiresAt'),
      }))
      .whereRef('idempotencyKeys.expiresAt', '<=', 'excluded.createdAt'),
  ),
);

/** Answers false, and inserts nothing, when there is an answer with this key that has not expired. */
export async function insertAnswer(
  { db, storeId }: Tenant,
  answer: KeyedRequest & StoredAnswer & { readonly createdAt: string; readonly expiresAt: string },
): Promise<boolean> {
  const { operation, targetId, key, fingerprint, status, body, createdAt, expiresAt } = answer;
  const row = { storeId, operation, targetId, key, fingerprint, status, body, createdAt, expiresAt };
  return insert(db, row);
}

/** Of how many of the oldest answers those that have expired are deleted at a time by the embedded engine. */
const oldest = 1_000;

/**
 * The embedded engine has its rows in the order of their making, in which they also expire. It needs no index for that,
 * which every keyed change would have to write to; the oldest are those of any store.
 */
const expiredAnswers = prepare(
  (db, { storeId, time }: { readonly storeId: string; readonly time: string }) => {
    const expired = db.deleteFrom('idempotencyKeys').where('expiresAt', '<=', time);
    if (!isEmbedded(db)) return expired.where('storeId', '=', storeId);
    const row = sql.ref('rowid');
    const first = db.selectFrom('idempotencyKeys').select(row.as('row')).orderBy(row).limit(oldest);
    return expired.where(row, 'in', first);
  },
);

/** Called often enough, it leaves none of the store for long. */
export async function deleteExpiredAnswers({ db, storeId }: Tenant, time: string): Promise<void> {
  await expiredAnswers(db, { storeId, time });
}
