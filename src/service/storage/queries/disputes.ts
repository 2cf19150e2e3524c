import type { RecordOf } from '../core/schema.ts';
import { insertion } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

export type DisputeRecord = RecordOf<'disputes', { riskSignals: Readonly<Record<string, unknown>> }>;

export type EvidenceRecord = Omit<RecordOf<'disputeEvidence'>, 'disputeId'>;

export type DecisionRecord = Omit<RecordOf<'disputeDecisions'>, 'disputeId'>;

const columns = [
  'id',
  'orderId',
  'buyerEmail',
  'providerCaseId',
  'kind',
  'status',
  'reason',
  'riskSignals',
  'deadlineAt',
  'appealDeadlineAt',
  'resolution',
  'idempotencyKey',
  'createdAt',
  'updatedAt',
] as const;

const insert = insertion('disputes', columns);

export async function insertDispute(tenant: Tenant, dispute: DisputeRecord): Promise<void> {
  await insert(tenant, { ...dispute, riskSignals: JSON.stringify(dispute.riskSignals) });
}

export async function findDispute({ db, storeId }: Tenant, id: string): Promise<DisputeRecord | undefined> {
  const row = await db
    .selectFrom('disputes')
    .select(columns)
    .where('storeId', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...row, riskSignals: JSON.parse(row.riskSignals) };
}

/** Oldest first. */
export async function listDisputes({ db, storeId }: Tenant) {
  return db
    .selectFrom('disputes')
    .select(['id', 'status', 'reason', 'kind', 'deadlineAt', 'createdAt'])
    .where('storeId', '=', storeId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export async function insertEvidence(
  { db, storeId }: Tenant,
  disputeId: string,
  evidence: EvidenceRecord,
): Promise<void> {
  await db
    .insertInto('disputeEvidence')
    .values({ ...evidence, storeId, disputeId })
    .execute();
}

/** Oldest first. */
export async function listEvidence({ db, storeId }: Tenant, disputeId: string): Promise<EvidenceRecord[]> {
  return db
    .selectFrom('disputeEvidence')
    .select(['id', 'kind', 'label', 'storageKey', 'textValue', 'submittedBy', 'createdAt'])
    .where('storeId', '=', storeId)
    .where('disputeId', '=', disputeId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/** Decides an open dispute and adds to its audit trail. Returns false and changes nothing if it is not open. */
export async function decideOpenDispute(
  { db, storeId }: Tenant,
  disputeId: string,
  decision: DecisionRecord,
): Promise<boolean> {
  const { status, resolution, decidedAt } = decision;
  const result = await db
    .updateTable('disputes')
    .set({ status, resolution, updatedAt: decidedAt })
    .where('storeId', '=', storeId)
    .where('id', '=', disputeId)
    .where('status', '=', 'open')
    .executeTakeFirst();
  if (Number(result.numUpdatedRows) === 0) return false;
  await db
    .insertInto('disputeDecisions')
    .values({ ...decision, storeId, disputeId })
    .execute();
  return true;
}
