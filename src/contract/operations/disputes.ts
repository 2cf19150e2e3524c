import * as z from 'zod/mini';
import { described, lenientObject, openObject, text, time, timestamp, uuid } from '../fields.ts';
import type { Operation } from '../operation.ts';

/** Dispute record, section 2.3. */
const dispute = lenientObject({
  id: uuid(),
  storeId: uuid(),
  env: z.string(),
  orderId: uuid(),
  buyerEmail: z.string(),
  providerCaseId: z.string(),
  kind: z.string(),
  status: z.string(),
  reason: z.string(),
  riskSignals: z.record(z.string(), z.unknown()),
  deadlineAt: timestamp(),
  appealDeadlineAt: timestamp(),
  resolution: z.string(),
  idempotencyKey: z.string(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** Dispute evidence item, section 2.4. */
const evidenceItem = lenientObject({
  id: uuid(),
  kind: z.string(),
  label: z.string(),
  storageKey: z.string(),
  textValue: z.string(),
  submittedBy: z.string(),
  createdAt: timestamp(),
});

/** Section 4 names `kind`, `reason` and `idempotencyKey`; the others are optional details of the case. */
export const openDispute = {
  id: 'disputes.open',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/disputes',
  summary: 'Open a dispute record (moves no money)',
  class: 'keyed',
  body: openObject({
    kind: text('Kind of the dispute'),
    reason: text('Why the dispute is opened'),
    idempotencyKey: text('Key under which the service applies this request once'),
    orderId: z.optional(described(uuid(), 'Order in dispute (UUID)')),
    buyerEmail: z.optional(text('E-mail address of the buyer')),
    providerCaseId: z.optional(text('Case number of the payment provider')),
    riskSignals: z.optional(
      described(z.record(z.string(), z.unknown()), 'Risk signal of the dispute, name=value'),
    ),
    deadlineAt: z.optional(time('Deadline for answering the dispute, for example 2030-01-31 09:00')),
    appealDeadlineAt: z.optional(time('Deadline for an appeal, for example 2030-02-07 09:00')),
  }),
  response: dispute,
} as const satisfies Operation;

export const showDispute = {
  id: 'disputes.show',
  method: 'GET',
  path: '/v1/stores/{storeId}/operations/disputes/{disputeId}',
  summary: 'Show a dispute with its evidence',
  class: 'read',
  body: null,
  response: lenientObject({ record: dispute, evidence: z.array(evidenceItem) }),
} as const satisfies Operation;

export const decideDispute = {
  id: 'disputes.decide',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/disputes/{disputeId}/decision',
  summary: 'Record the decision of a dispute (moves no money)',
  class: 'one-shot',
  body: openObject({
    status: text('Outcome of the dispute, for example won'),
    resolution: text('Reason for the decision'),
  }),
  response: dispute,
} as const satisfies Operation;
