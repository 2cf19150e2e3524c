import { setTimeout as sleep } from 'node:timers/promises';
import type { Applied, Outcome, Problem, Unknown } from '../../client/outcome.ts';
import { decideDispute, showDispute } from '../../contract/operations/disputes.ts';
import { saveSettings, showSettings } from '../../contract/operations/settings.ts';
import type { SendOptions } from '../history.ts';
import type { HistoryRecord } from '../records/record.ts';
import { callInputOf } from './call-input.ts';

/** What a read shows about a write whose answer was lost. */
export interface Finding {
  /** `untouched`: reads as before, which may still change while a request is on its way. */
  readonly verdict: 'settled' | 'untouched' | 'unclear';
  /** Still `unknown` unless settled. */
  readonly outcome: Outcome;
  /** What is known besides, for people. */
  readonly note: string | null;
}

/**
 * How long a dispute must still be open after the decision was sent before that proves the decision lost. A request
 * may wait in a proxy or a queue, but none waits longer than the longest operation of this client (180 s) by far.
 */
export const OPEN_IS_FINAL_AFTER_MS = 300_000;

/** Whether {@link settleByReading} can tell anything about this operation. */
export function canSettleByReading(record: Pick<HistoryRecord, 'operation'>): boolean {
  return record.operation === decideDispute.id || record.operation === saveSettings.id;
}

/**
 * Reads what the operation should have changed, and settles what can be settled by that. Anything else, a failed read
 * included, comes back as the unknown outcome that it was.
 */
export async function settleByReading(
  options: SendOptions,
  record: HistoryRecord,
  outcome: Unknown,
): Promise<Finding> {
  if (record.operation === decideDispute.id) return settleDecision(options, record, outcome);
  if (record.operation === saveSettings.id) return settleSettings(options, record, outcome);
  return { verdict: 'unclear', outcome, note: null };
}

async function settleDecision(
  options: SendOptions,
  record: HistoryRecord,
  outcome: Unknown,
): Promise<Finding> {
  const wanted = fields(record.body === null ? null : JSON.parse(record.body));
  const path = record.path.replace(/\/decision$/, '');
  const look = async () => {
    const read = await options.client.send(
      { method: 'GET', path, body: null, class: 'read', response: showDispute.response },
      callInputOf(options),
    );
    if (read.kind !== 'applied') return null;
    const dispute = fields(fields(read.body).record);
    return typeof dispute.status === 'string' ? { read, dispute } : null;
  };
  let found = await look();
  if (found?.dispute.status === 'open') {
    await pause(options);
    found = await look();
  }
  if (found === null) return { verdict: 'unclear', outcome, note: null };
  const { read, dispute } = found;
  if (dispute.status === 'open') return stillOpen(options, record, outcome);
  const sameText =
    typeof dispute.resolution !== 'string' ||
    typeof wanted.resolution !== 'string' ||
    dispute.resolution.trim() === wanted.resolution.trim();
  if (dispute.status === wanted.status && sameText) {
    return {
      verdict: 'settled',
      outcome: appliedBy(read, dispute),
      note: 'The answer was lost; the dispute shows the decision.',
    };
  }
  return {
    verdict: 'settled',
    outcome: refusedAs({
      status: 409,
      code: 'decided_otherwise',
      message: `the dispute was already decided otherwise: ${dispute.status}`,
      fields: [],
    }),
    note: null,
  };
}

function stillOpen(options: SendOptions, record: HistoryRecord, outcome: Unknown): Finding {
  const waitedMs = options.history.now() - Date.parse(record.sentAt ?? record.updatedAt);
  if (waitedMs > OPEN_IS_FINAL_AFTER_MS) {
    const { attempts, requestId, failure } = outcome;
    return {
      verdict: 'settled',
      outcome: { kind: 'not_sent', attempts, requestId, failure },
      note: 'The dispute is still open: the decision did not reach it. It may be decided again.',
    };
  }
  return {
    verdict: 'untouched',
    outcome,
    note: 'The dispute is still open, so the decision has not been applied so far. Look again in five minutes.',
  };
}

async function settleSettings(
  options: SendOptions,
  record: HistoryRecord,
  outcome: Unknown,
): Promise<Finding> {
  const read = await options.client.send(
    { method: 'GET', path: record.path, body: null, class: 'read', response: showSettings.response },
    callInputOf(options),
  );
  if (read.kind !== 'applied' || record.body === null) return { verdict: 'unclear', outcome, note: null };
  if (includes(read.body, JSON.parse(record.body))) {
    const note = 'The answer was lost; the settings read as they were to be saved.';
    return { verdict: 'settled', outcome: read, note };
  }
  // The former document holds the time of its saving, so it matches only where nobody has saved since.
  if (record.former !== null && includes(read.body, JSON.parse(record.former))) {
    return { verdict: 'untouched', outcome, note: 'The settings have not been changed so far.' };
  }
  const note = 'The settings do not read as they were to be saved. Compare them before you save again.';
  return { verdict: 'unclear', outcome, note };
}

/** The read's answer in the shape of the write's own: the dispute without its evidence. */
function appliedBy(read: Applied, dispute: Record<string, unknown>): Applied {
  return { ...read, body: dispute, text: JSON.stringify(dispute), drift: [] };
}

function refusedAs(problem: Problem): Outcome {
  return { kind: 'rejected', attempts: 0, requestId: null, status: problem.status, problem, retryAt: null };
}

/** Whether everything in `part` is in `whole`; null and absent are the same, lists are compared whole. */
function includes(whole: unknown, part: unknown): boolean {
  if (part === null) return whole === null || whole === undefined;
  if (typeof part !== 'object') return whole === part;
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole))
    return false;
  if (Array.isArray(part) && part.length !== fields(whole).length) return false;
  return Object.entries(part).every(([name, value]) => includes(fields(whole)[name], value));
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

async function pause({ settlePauseMs = 2_000, signal }: SendOptions): Promise<void> {
  try {
    await sleep(settlePauseMs, undefined, signal && { signal });
  } catch {
    // The reads that follow end by the same signal.
  }
}
