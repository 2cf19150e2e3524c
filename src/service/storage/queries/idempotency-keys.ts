import { sql } from 'kysely';
import { prepare, prepareAppend } from '../core/prepared.ts';
import { isEmbedded, type Tenant } from '../core/storage.ts';

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

/** Of the embedded engine alone: numbers the rows in the order of their making. */
const rowNumber = sql.ref<number>('rowid');

/** Takes the place of one that has expired and is still there, and of no other. */
const insert = prepareAppend('idempotencyKeys', (query, db) =>
  query.onConflict((conflict) =>
    conflict
      .columns(['storeId', 'operation', 'targetId', 'key'])
      .doUpdateSet((given) => ({
        fingerprint: given.ref('excluded.fingerprint'),
        status: given.ref('excluded.status'),
        body: given.ref('excluded.body'),
        createdAt: given.ref('excluded.createdAt'),
        expiresAt: given.ref('excluded.expiresAt'),
        ...(isEmbedded(db) && {
          rowid: db.selectFrom('idempotencyKeys').select(sql<number>`max(${rowNumber}) + 1`.as('next')),
        }),
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

/** So many of the oldest answers the embedded engine looks at to delete those that have expired. */
const sweepWindow = 1_000;

/**
 * The embedded engine numbers its rows in the order in which they expire, and needs no index for it, which every keyed
 * change would have to write to. The oldest are those of any store.
 */
const expiredAnswers = prepare(
  (db, { storeId, time }: { readonly storeId: string; readonly time: string }) => {
    const expired = db.deleteFrom('idempotencyKeys').where('expiresAt', '<=', time);
    if (!isEmbedded(db)) return expired.where('storeId', '=', storeId);
    const oldest = db.selectFrom('idempotencyKeys').select(rowNumber.as('number'));
    return expired.where(rowNumber, 'in', oldest.orderBy(rowNumber).limit(sweepWindow));
  },
);

const oldestAnswer = prepare((db) =>
  db.selectFrom('idempotencyKeys').select('expiresAt').orderBy(rowNumber).limit(1),
);

/** Called often enough, it leaves none of the store for long. */
export async function deleteExpiredAnswers({ db, storeId }: Tenant, time: string): Promise<void> {
  if (isEmbedded(db)) {
    // Mostly nothing has expired, and then there is no need to look at all of them.
    const [oldest] = await oldestAnswer(db, {});
    if (oldest === undefined || oldest.expiresAt > time) return;
  }
  await expiredAnswers(db, { storeId, time });
}
