import { type Selectable, sql } from 'kysely';
import type { decisions } from '../../../contract/operations/disputes.ts';
import type { RecordOf, Schema } from '../core/schema.ts';
import { insert, statement } from '../core/statement.ts';
import type { ObjectRef, Tenant } from '../core/storage.ts';

export type DisputeRecord = RecordOf<'disputes', { riskSignals: Readonly<Record<string, unknown>> }>;

export type EvidenceRecord = Omit<RecordOf<'disputeEvidence'>, 'disputeId'>;

type DecisionRecord = RecordOf<'disputeDecisions'>;

const selectDispute = statement<ObjectRef, Selectable<Schema['disputes']>>`
  select id, order_id, buyer_email, provider_case_id, kind, status, reason, risk_signals, deadline_at,
    appeal_deadline_at, resolution, idempotency_key, created_at, updated_at
  from disputes where store_id = ${'storeId'} and id = ${'id'}`;

export async function findDispute({ db, storeId }: Tenant, id: string): Promise<DisputeRecord | undefined> {
  const [row] = (await selectDispute(db, { storeId, id })).rows;
  return row && { ...row, riskSignals: JSON.parse(row.riskSignals) };
}

type Decision = (typeof decisions)[number];

/** A dispute without its risk signals. */
export type ListedDispute = Omit<DisputeRecord, 'riskSignals'>;

// The status of a partial index is in the text of the queries, or the embedded engine does not use the index.

/** Which disputes are asked for. */
export interface DisputePage {
  readonly providerCaseId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly limit: number;
}

/** Newest first, of all or of those that were decided so: with lower ids than one, unless it is null. */
export async function findDisputes(
  tenant: Tenant,
  { status, ...page }: DisputePage & { readonly status?: Decision | undefined },
  below: string | null,
): Promise<ListedDispute[]> {
  let query = selectDisputes(tenant, page).orderBy('id', 'desc');
  if (status !== undefined) query = query.where('status', '=', status).where(sql<boolean>`status <> 'open'`);
  return (below === null ? query : query.where('id', '<', below)).execute();
}

/** Open ones, by deadline: those after a deadline and an id, unless they are null. */
export async function findOpenDisputes(
  tenant: Tenant,
  page: DisputePage,
  after: readonly [deadlineAt: string, id: string] | null,
): Promise<ListedDispute[]> {
  const open = sql<boolean>`status = 'open'`;
  const query = selectDisputes(tenant, page).where(open).orderBy('deadlineAt').orderBy('id');
  if (after === null) return query.execute();
  return query.where(sql<boolean>`(deadline_at, id) > (${after[0]}, ${after[1]})`).execute();
}

function selectDisputes({ db, storeId }: Tenant, { providerCaseId, orderId, limit }: DisputePage) {
  let query = db
    .selectFrom('disputes')
    .select(['id', 'orderId', 'buyerEmail', 'providerCaseId', 'kind', 'status', 'reason', 'deadlineAt'])
    .select(['appealDeadlineAt', 'resolution', 'idempotencyKey', 'createdAt', 'updatedAt'])
    .where('storeId', '=', storeId)
    .limit(limit);
  if (providerCaseId !== undefined) query = query.where('providerCaseId', '=', providerCaseId);
  if (orderId !== undefined) query = query.where('orderId', '=', orderId);
  return query;
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
