import * as z from 'zod/mini';
import {
  choice,
  described,
  ifSet,
  lenientObject,
  named,
  oneOf,
  openObject,
  textField,
  timeField,
  timestampText,
  uuidText,
} from '../fields.ts';
import { lineForm, textForm } from '../forms.ts';
import type { ServedOperation } from '../operation.ts';
import { pageOf, pageQuery } from '../pages.ts';

/** Decisions that this repository's service accepts. */
export const decisions = ['won', 'lost', 'withdrawn'] as const;

/** Statuses of disputes that this repository's service knows. */
export const disputeStatuses = ['open', ...decisions] as const;

const beforeRiskSignals = {
  id: uuidText(),
  storeId: uuidText(),
  env: z.string(),
  orderId: ifSet(uuidText()),
  buyerEmail: ifSet(z.string()),
  providerCaseId: ifSet(z.string()),
  kind: z.string(),
  status: oneOf(disputeStatuses),
  reason: z.string(),
};

const afterRiskSignals = {
  deadlineAt: timestampText(),
  appealDeadlineAt: timestampText(),
  resolution: ifSet(z.string()),
  idempotencyKey: z.string(),
  createdAt: timestampText(),
  updatedAt: timestampText(),
};

/** Dispute record, section 2.3. */
const dispute = named(
  lenientObject({
    ...beforeRiskSignals,
    riskSignals: z.record(z.string(), z.unknown()),
    ...afterRiskSignals,
  }),
  'Dispute',
  'The record of a dispute.',
);

const listedDispute = named(
  lenientObject({ ...beforeRiskSignals, ...afterRiskSignals }),
  'ListedDispute',
  'The record of a dispute without its risk signals.',
);

/** Dispute evidence item, section 2.4. */
const evidenceItem = lenientObject({
  id: uuidText(),
  kind: z.string(),
  label: z.string(),
  storageKey: ifSet(z.string()),
  textValue: ifSet(z.string()),
  submittedBy: z.string(),
  createdAt: timestampText(),
});

/** Section 4 names `kind`, `reason` and `idempotencyKey`; the others are optional details of the case. */
export const openDispute = {
  id: 'disputes.open',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/disputes',
  summary: 'Open a dispute record (moves no money)',
  class: 'keyed',
  body: openObject({
    kind: oneOf(['payment'], 'Kind of the dispute', { open: true }),
    reason: textField('Reason for the dispute', { form: textForm(4000, { isFilled: true }) }),
    idempotencyKey: textField('Idempotency key: requests with the same key are applied only once'),
    orderId: z.optional(described(uuidText(), 'ID of the disputed order', { remark: 'UUID' })),
    buyerEmail: z.optional(textField('Email address of the buyer')),
    providerCaseId: z.optional(
      textField('Case number of the payment provider', { form: lineForm(200, { isFilled: true }) }),
    ),
    riskSignals: z.optional(
      described(z.record(z.string(), z.unknown()), 'Risk signal of the dispute', { remark: 'name=value' }),
    ),
    deadlineAt: z.optional(
      timeField('Deadline for a response to the dispute', { example: '2030-01-31 09:00' }),
    ),
    appealDeadlineAt: z.optional(timeField('Deadline for an appeal', { example: '2030-02-07 09:00' })),
  }),
  response: dispute,
  repeats: [{ field: 'kind' }, { field: 'reason' }],
  service: {
    scope: 'disputes:write',
    success: [201],
    example: { kind: 'payment', reason: 'The buyer did not get the order', idempotencyKey: 'case-4711' },
  },
} as const satisfies ServedOperation;

export const showDispute = {
  id: 'disputes.show',
  method: 'GET',
  path: '/v1/stores/{storeId}/operations/disputes/{disputeId}',
  summary: 'Show a dispute with its evidence',
  class: 'read',
  body: null,
  response: named(
    lenientObject({ record: dispute, evidence: z.array(evidenceItem) }),
    'DisputeWithEvidence',
    'A dispute and its evidence, oldest first.',
  ),
  repeats: [{ field: 'record.id', parameter: 'disputeId' }],
  service: { scope: 'disputes:read' },
} as const satisfies ServedOperation;

export const decideDispute = {
  id: 'disputes.decide',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/disputes/{disputeId}/decision',
  summary: 'Record the decision on a dispute (moves no money)',
  class: 'one-shot',
  body: openObject({
    status: oneOf(decisions, 'Won, lost or withdrawn', { remark: 'outcome for the store' }),
    resolution: textField('Reason for the decision', { form: textForm(4000, { isFilled: true }) }),
  }),
  response: dispute,
  repeats: [{ field: 'id', parameter: 'disputeId' }, { field: 'status' }],
  candidates: {
    what: 'open disputes',
    query: { status: 'open' },
    fits: ({ status }) => status === 'open',
    order: ({ deadlineAt }) => Date.parse(String(deadlineAt)) || Number.MAX_SAFE_INTEGER,
  },
  service: {
    scope: 'disputes:decide',
    conflicts: true,
    example: { status: 'won', resolution: 'The parcel was delivered' },
  },
} as const satisfies ServedOperation;

export const listDisputes = {
  id: 'disputes.list',
  method: 'GET',
  path: '/v1/stores/{storeId}/operations/disputes',
  summary: 'List the disputes: the open ones by deadline, all of them newest first',
  class: 'read',
  body: null,
  query: pageQuery({
    status: z.optional(choice(disputeStatuses, 'Only disputes with this status')),
    providerCaseId: z.optional(textField('Only disputes with this case number of the payment provider')),
    orderId: z.optional(described(uuidText(), 'Only disputes about this order', { remark: 'UUID' })),
  }),
  filters: {
    status: { field: 'status' },
    providerCaseId: { field: 'providerCaseId' },
    orderId: { field: 'orderId' },
  },
  response: pageOf(listedDispute, 'Dispute', 'Disputes.'),
  isAddition: true,
  service: { scope: 'disputes:read' },
} as const satisfies ServedOperation;
