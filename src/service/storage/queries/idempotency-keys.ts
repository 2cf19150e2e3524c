import { sql } from 'kysely';
import { gather } from '../core/gather.ts';
import { insertion } from '../core/insertion.ts';
import type { RecordOf } from '../core/schema.ts';
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

type AnswerRow = RecordOf<'idempotencyKeys'>;
type FoundAnswer = Omit<AnswerRow, 'createdAt'>;

const answerTo = statement<KeyedRequest & { storeId: string }, FoundAnswer>`
  select operation, target_id, key, fingerprint, status, body, expires_at from idempotency_keys
  where store_id = ${'storeId'} and operation = ${'operation'} and target_id = ${'targetId'} and key = ${'key'}`;

interface Asked {
  readonly storeId: string;
  readonly operations: readonly string[];
  readonly targetIds: readonly string[];
  readonly keys: readonly string[];
}

/** Looks each up in the index by itself, whatever the planner thinks of the table. */
const answersOnPostgres = statement<Asked, FoundAnswer>`
  select answer.* from unnest(${'operations'}::text[], ${'targetIds'}::text[], ${'keys'}::text[])
    as asked(operation, target_id, key)
  cross join lateral (select * from idempotency_keys as stored where stored.store_id = ${'storeId'}
    and stored.operation = asked.operation and stored.target_id = asked.target_id and stored.key = asked.key
    limit 1) as answer`;

const findAnswers = gather(async ({ db, storeId }, requests: readonly KeyedRequest[]) => {
  const [first] = requests;
  if (first !== undefined && requests.length === 1) return (await answerTo(db, { ...first, storeId })).rows;
  const asked = {
    operations: requests.map(({ operation }) => operation),
    targetIds: requests.map(({ targetId }) => targetId),
    keys: requests.map(({ key }) => key),
  };
  return (await answersOnPostgres(db, { ...asked, storeId })).rows;
});

/** The stored answer to the request, unless it is expired. */
export async function findAnswer(
  tenant: Tenant,
  { operation, targetId, key }: KeyedRequest,
  now: string,
): Promise<StoredAnswer | undefined> {
  const answers = await findAnswers(tenant, { operation, targetId, key });
  return answers.find(
    (answer) =>
      answer.key === key &&
      answer.operation === operation &&
      answer.targetId === targetId &&
      answer.expiresAt > now,
  );
}

const insertAnswers = insertion(
  'idempotencyKeys',
  ['operation', 'targetId', 'key', 'fingerprint', 'status', 'body', 'createdAt', 'expiresAt'],
  'on conflict do nothing',
);

const deleteExpired = statement<AnswerRow & { storeId: string }>`
  delete from idempotency_keys where store_id = ${'storeId'} and operation = ${'operation'}
    and target_id = ${'targetId'} and key = ${'key'} and expires_at <= ${'createdAt'}`;

/**
 * Replaces an expired answer with this key. Returns false if an answer is still valid: one with this key, or with the key
 * of an answer that is inserted together with it.
 */
export async function insertAnswer(tenant: Tenant, answer: AnswerRow): Promise<boolean> {
  const { db, storeId } = tenant;
  if (await insertAnswers(tenant, [answer])) return true;
  // Not updated: the sweep of expired answers looks at the oldest rows, and this one is new.
  const { changes } = await deleteExpired(db, { ...answer, storeId });
  return changes > 0 && insertAnswers(tenant, [answer]);
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
