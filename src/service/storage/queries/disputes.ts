import type { Selectable } from 'kysely';
import type { RecordOf, Schema } from '../core/schema.ts';
import { insert, statement } from '../core/statement.ts';
import type { ObjectRef, Tenant } from '../core/storage.ts';

export type DisputeRecord = RecordOf<'disputes', { riskSignals: Readonly<Record<string, unknown>> }>;

export type EvidenceRecord = Omit<RecordOf<'disputeEvidence'>, 'disputeId'>;

type DecisionRecord = RecordOf<'disputeDecisions'>;

const disputeObjectRef = statement<ObjectRef, Selectable<Schema['disputes']>>`
  select id, order_id, buyer_email, provider_case_id, kind, status, reason, risk_signals, deadline_at,
    appeal_deadline_at, resolution, idempotency_key, created_at, updated_at
  from disputes where store_id = ${'storeId'} and id = ${'id'}`;

export async function findDispute({ db, storeId }: Tenant, id: string): Promise<DisputeRecord | undefined> {
  const [row] = (await disputeObjectRef(db, { storeId, id })).rows;
  return row && { ...row, riskSignals: JSON.parse(row.riskSignals) };
}

const evidenceOf = statement<ObjectRef, EvidenceRecord>`
  select id, kind, label, storage_key, text_value, submitted_by, created_at from dispute_evidence
  where store_id = ${'storeId'} and dispute_id = ${'id'} order by created_at, id`;

/** Oldest first. */
export async function listEvidence({ db, storeId }: Tenant, id: string): Promise<readonly EvidenceRecord[]> {
  return (await evidenceOf(db, { storeId, id })).rows;
}

const decideOpen = statement<DecisionRecord & { readonly storeId: string }>`
  update disputes set status = ${'status'}, resolution = ${'resolution'}, updated_at = ${'decidedAt'}
  where store_id = ${'storeId'} and id = ${'disputeId'} and status = 'open'`;

/** Decides an open dispute and adds to its audit trail. Returns false and changes nothing if it is not open. */
export async function decideOpenDispute(tenant: Tenant, decision: DecisionRecord): Promise<boolean> {
  const { db, storeId } = tenant;
  if ((await decideOpen(db, { ...decision, storeId })).changes === 0) return false;
  await insert(tenant, 'disputeDecisions', decision);
  return true;
}
