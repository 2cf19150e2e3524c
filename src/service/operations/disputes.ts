import * as z from 'zod';
import { decisions, disputeStatuses } from '../../contract/operations/disputes.ts';
import { notFound, ServiceError } from '../model/errors.ts';
import {
  email,
  filledLine,
  filledText,
  idempotencyKey,
  mapKey,
  mapKeyPattern,
  optional,
  pattern,
  text,
  time,
  uuid,
} from '../model/field-schemas.ts';
import { createId } from '../model/ids.ts';
import { withoutNulls } from '../model/merge.ts';
import { daysInMs, timestamp } from '../model/time.ts';
import { insert } from '../storage/core/statement.ts';
import type { Tenant } from '../storage/core/storage.ts';
import {
  type DisputeRecord,
  decideOpenDispute,
  type EvidenceRecord,
  findDispute,
  findDisputes,
  findOpenDisputes,
  type ListedDispute,
  listEvidence,
} from '../storage/queries/disputes.ts';
import { byDeadline, byId, pageInput, toPage } from './pages.ts';
import { recordEvent } from './record-event.ts';
import type { Work } from './unit-of-work.ts';

const itself = { $ref: '#/$defs/JsonValue' };

/** Any JSON. A number that JavaScript would round, such as a long order number, is refused. */
const jsonValue = z
  .unknown()
  .refine(isExact, {
    error: 'contains a number that cannot be stored exactly: send it as a string',
    params: { code: 'too_big' },
  })
  .meta({
    id: 'JsonValue',
    description: 'Any JSON with numbers that a double holds exactly',
    anyOf: [
      { type: ['boolean', 'null'] },
      { type: 'number', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: '^[^\\u0000]*$' },
      // Twice `not`: TypeScript refuses types that are generated from a plain reference here as circular.
      { type: 'array', items: { not: { not: itself } } },
      { type: 'object', propertyNames: { pattern: mapKeyPattern.source }, additionalProperties: itself },
    ],
  });

function isExact(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isExact);
  if (typeof value !== 'number') return true;
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

const lowerCaseWord = (example: string) =>
  pattern(40, /^[a-z][a-z0-9_]{0,39}$/, `must be a lower-case word such as ${example}`);

/** Evidence for a dispute: a text, or the key of a file in the storage of the operator. */
export const newEvidence = z.strictObject({
  kind: lowerCaseWord('tracking_number'),
  label: filledLine(200),
  textValue: optional(filledText(200_000)),
  storageKey: optional(filledLine(1024)),
});

/** Body of `disputes.open`. */
export const newDispute = z.strictObject({
  kind: lowerCaseWord('payment'),
  reason: filledText(4000),
  idempotencyKey: idempotencyKey(),
  orderId: optional(uuid()),
  buyerEmail: optional(email()),
  providerCaseId: optional(filledLine(200)),
  riskSignals: z.record(mapKey(), jsonValue).nullish(),
  deadlineAt: time().nullish(),
  appealDeadlineAt: time().nullish(),
});

/** Body of `disputes.decide`. */
export const newDecision = z.strictObject({
  status: z.enum(decisions),
  resolution: filledText(4000),
});

/** `disputes.open`. It moves no money. */
export async function openDispute(work: Work, input: z.output<typeof newDispute>, id = createId()) {
  const now = timestamp(work.now);
  const { kind, reason, ...rest } = input;
  const dispute: DisputeRecord = {
    id,
    kind,
    status: 'open',
    reason,
    ...rest,
    riskSignals: input.riskSignals ?? {},
    deadlineAt: input.deadlineAt ?? timestamp(work.now + daysInMs(7)),
    appealDeadlineAt: input.appealDeadlineAt ?? timestamp(work.now + daysInMs(14)),
    resolution: null,
    createdAt: now,
    updatedAt: now,
  };
  const { deadlineAt } = dispute;
  await insert(work, 'disputes', dispute);
  await recordEvent(work, 'dispute_opened', { disputeId: dispute.id, kind, reason, deadlineAt });
  return toDispute(work, dispute);
}

/** `disputes.show`. */
export async function showDispute(tenant: Tenant, disputeId: string) {
  const dispute = await findDispute(tenant, disputeId);
  if (dispute === undefined) throw notFound('Dispute', disputeId);
  const evidence = await listEvidence(tenant, disputeId);
  return { record: toDispute(tenant, dispute), evidence: evidence.map(withoutNulls) };
}

/** Query of `disputes.list`. */
export const disputesQuery = pageInput({
  status: z.enum(disputeStatuses).optional(),
  providerCaseId: text(200).optional(),
  orderId: uuid().optional(),
});

/** `disputes.list`: the open ones by deadline, others newest first. */
export async function listDisputes(tenant: Tenant, query: z.output<typeof disputesQuery>) {
  const { limit, status, after, ...filters } = query;
  const page = { ...filters, limit: limit + 1 };
  const show = (dispute: ListedDispute) => toDispute(tenant, dispute);
  if (status === 'open') {
    const rows = await findOpenDisputes(tenant, page, byDeadline.read(after));
    return toPage(rows, limit, ({ deadlineAt, id }) => byDeadline.write(deadlineAt, id), show);
  }
  const [below = null] = byId.read(after) ?? [];
  const rows = await findDisputes(tenant, { ...page, status }, below);
  return toPage(rows, limit, ({ id }) => byId.write(id), show);
}

/** Adds evidence that `disputes.show` shows. `submittedBy` says in a word who it is from. */
export async function addEvidence(
  work: Work,
  disputeId: string,
  input: z.output<typeof newEvidence>,
  submittedBy: string,
): Promise<EvidenceRecord> {
  if ((await findDispute(work, disputeId)) === undefined) throw notFound('Dispute', disputeId);
  const evidence = { ...input, submittedBy, id: createId(), createdAt: timestamp(work.now) };
  await insert(work, 'disputeEvidence', { ...evidence, disputeId });
  return evidence;
}

/** `disputes.decide`. A decision is final. The same decision again changes nothing. It moves no money. */
export async function decideDispute(
  work: Work,
  disputeId: string,
  { status, resolution }: z.output<typeof newDecision>,
) {
  const decided = await decideOpenDispute(work, {
    id: createId(),
    disputeId,
    status,
    resolution,
    decidedBy: work.actor,
    decidedAt: timestamp(work.now),
  });
  const dispute = await findDispute(work, disputeId);
  if (dispute === undefined) throw notFound('Dispute', disputeId);
  if (decided) {
    await recordEvent(work, 'dispute_decided', { disputeId, status, resolution });
  } else if (dispute.status !== status || dispute.resolution !== resolution) {
    throw new ServiceError('state_conflict', `The dispute is already decided as ${dispute.status}`);
  }
  return toDispute(work, dispute);
}

function toDispute<Dispute extends ListedDispute>({ storeId }: Tenant, dispute: Dispute) {
  return withoutNulls({ ...dispute, storeId, env: 'live' });
}
