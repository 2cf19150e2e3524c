import type { HistoryDecision, OpenReason } from '../decision.ts';
import type { SendOptions, StoreHistory } from '../history.ts';
import { type LogWriter, recordIn } from '../journal/log-writer.ts';
import { overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import { HistoryError } from '../record/errors.ts';
import { type HistoryRecord, isInDoubt, isTooOld, logIdOf } from '../record/history-record.ts';
import { markedByHand } from '../record/recorded-outcome.ts';
import {
  type FailedSafetyBackup,
  type ProofResult,
  type RecordedChange,
  recordedResult,
} from './change-result.ts';
import { planResume, sentAgainByKey } from './plan-resume.ts';
import { type Proved, readAgain, readProof } from './read-proof.ts';
import { safetyIntent, sendAfterBackup } from './safety-backup.ts';
import { type Sending, sendRecord, writeOutcome } from './send.ts';
import { supersede } from './supersede.ts';

export interface ResumeOptions extends SendOptions {
  /** The user has agreed to send this record again, whatever its age. */
  readonly isConfirmed?: boolean | undefined;
  /** The label of the safety backup. Without a label, no safety backup is taken. */
  readonly safetyLabel?: string | undefined;
  /** Only reads for proof. The record is not sent again: the caller wants another change than the one in doubt. */
  readonly readsOnly?: boolean | undefined;
  /** The record belongs to a batch. */
  readonly inBatch?: boolean | undefined;
}

/**
 * What {@link resumeRecord} did about a record:
 * - `sent`: the record was sent again, with this outcome.
 * - `settled`: a read has shown that the change was applied.
 * - `reported`: the outcome was in the record already. Nothing was sent.
 * - `superseded`: the record no longer matters, because the later change `record.supersededBy` was applied.
 * - `left_open`: the record stays open, for this reason. Nothing was sent.
 */
export type ResumeResult =
  | ({ readonly action: 'sent' | 'settled' | 'reported' } & RecordedChange)
  | ({
      readonly action: 'left_open';
      readonly record: HistoryRecord;
      readonly reason: 'no_safety_backup';
    } & FailedSafetyBackup)
  | { readonly action: 'superseded'; readonly record: HistoryRecord }
  | {
      readonly action: 'left_open';
      readonly record: HistoryRecord;
      readonly reason: OpenReason;
      /** For the reason `later_change`: the later change. */
      readonly laterChange?: HistoryRecord | undefined;
      readonly proofResult?: ProofResult;
    };

/**
 * Reports, settles or sends again an open record, by the row of its operation in operation-rules.ts. Takes the order lock if the
 * record sets values, and the log lock. A record that another process is sending is left to that process.
 *
 * Throws a HistoryError if nothing was sent.
 */
export async function resumeRecord(
  history: StoreHistory,
  id: string,
  options: ResumeOptions,
): Promise<ResumeResult> {
  const found = history.snapshot().get(id);
  if (history.isHeldElsewhere(logIdOf(found.id))) {
    // The other process has the outcome, but may not have printed it yet.
    const resumed: ResumeResult = isInDoubt(found)
      ? { action: 'left_open', record: found, reason: 'running' }
      : { action: 'reported', ...recordedResult(found) };
    history.explain(decisionOf(resumed));
    return resumed;
  }
  const { inOrder } = rulesOf(found.operation);
  const orderLock = inOrder ? await history.journal.acquire('order', options) : null;
  try {
    const writer = await history.reopen(logIdOf(found.id), options);
    return await continueRecord(history, writer, recordIn(writer.records, found.id), options);
  } finally {
    orderLock?.release();
  }
}

/** As {@link resumeRecord}, for a caller that holds the log of the record, and the order lock if the record sets values. */
export async function continueRecord(...given: Parameters<typeof sendOrSettle>): Promise<ResumeResult> {
  const [history] = given;
  const resumed = await sendOrSettle(...given);
  history.explain(decisionOf(resumed));
  return resumed;
}

async function sendOrSettle(
  history: StoreHistory,
  writer: LogWriter,
  record: HistoryRecord,
  options: ResumeOptions,
): Promise<ResumeResult> {
  const { id } = record;
  const snapshot = history.snapshot();
  const { kind, laterChange } = planResume(snapshot, record, history.journal.now());
  if (kind === 'reported') {
    report(writer, record);
    return { action: 'reported', ...recordedResult(record) };
  }
  if (kind === 'superseded') {
    if (laterChange !== undefined) await writer.change([{ id, supersededBy: laterChange.id }]);
    report(writer, record);
    return { action: 'superseded', record: recordIn(writer.records, id) };
  }
  const isAsked = kind === 'needs_yes' || kind === 'too_old';
  if (kind !== 'send' && kind !== 'ask_service' && !(isAsked && options.isConfirmed))
    return leaveOpen(writer, record, kind, { laterChange });
  options.client.pause(history.storeWait());
  const sending = { ...options, writer, now: history.journal.now };
  const settled = kind === 'ask_service' ? await settleUnsent(sending, record, laterChange) : null;
  if (settled !== null) return settled;
  if (options.readsOnly) return leaveOpen(writer, record, 'not_settled');
  if (isTooOld(record, history.journal.now()) && !options.isConfirmed)
    return leaveOpen(writer, record, 'too_old');
  // Read before anything is sent, because a damaged log throws here.
  const open = [...snapshot.records({ open: true })];
  const safety = safetyIntent(history, record, options.safetyLabel);
  const sent: RecordedChange | FailedSafetyBackup =
    safety === null
      ? { ...(await sendRecord(sending, id, { isFirst: false })), kind: 'change', safetyBackup: null }
      : await sendAfterBackup(sending, (await writer.add(safety)).id, { id, isFirst: false });
  if (sent.kind === 'safety_backup')
    return { action: 'left_open', record: recordIn(writer.records, id), reason: 'no_safety_backup', ...sent };
  report(writer, record);
  if (sent.outcome.kind !== 'applied') return { action: 'sent', ...sent };
  await supersede(history, sent.record, open);
  return { action: 'sent', ...sent };
}

/**
 * Asks the service about a record in doubt: first with a read for proof, then whether the service applies the key in the header once.
 * Null if it is safe to send the record again.
 */
async function settleUnsent(
  sending: Sending & Pick<ResumeOptions, 'readsOnly'>,
  record: HistoryRecord,
  laterChange: HistoryRecord | undefined,
): Promise<ResumeResult | null> {
  const { writer, client, timeoutMs, signal } = sending;
  const { proof, resume } = rulesOf(record.operation);
  const settle = async (found: Proved): Promise<ResumeResult | null> => {
    if (found.applied === null) return null;
    const settled = await writeOutcome(sending, record.id, found.applied, true);
    return { action: 'settled', kind: 'change', ...settled, safetyBackup: null };
  };
  let found = proof && (await readProof(sending, record));
  const shown = found && (await settle(found));
  if (shown) return shown;
  if (resume === 'read-then-send' && found?.proofResult === 'untouched' && laterChange === undefined)
    return null;
  const change = sending.readsOnly ? null : sentAgainByKey(record);
  const answer =
    change === null ? 'no' : (found?.answer ?? (await client.appliesOnce(change, { timeoutMs, signal })));
  if (answer === 'yes') return null;
  found = found && (await readAgain(sending, record, found));
  const shownNow = found && (await settle(found));
  if (shownNow) return shownNow;
  if (found !== undefined)
    return leaveOpen(writer, record, 'not_settled', { proofResult: found.proofResult });
  if (answer === 'unanswered') return leaveOpen(writer, record, 'not_settled', { proofResult: 'unanswered' });
  return laterChange === undefined
    ? leaveOpen(writer, record, 'ask_user')
    : leaveOpen(writer, record, 'later_change', { laterChange });
}

/** The decision that `--debug` prints. */
function decisionOf(resumed: ResumeResult): HistoryDecision {
  const { action, record } = resumed;
  const { id } = record;
  if (action === 'superseded') return { kind: action, id, by: record.supersededBy ?? '' };
  if (action !== 'left_open') return { kind: action, record };
  const later = 'laterChange' in resumed ? resumed.laterChange : undefined;
  const own = writtenPaths(record);
  const paths = later === undefined ? [] : own.filter((path) => overlap([path], writtenPaths(later)));
  return { kind: action, id, reason: resumed.reason, laterChange: later ? { record: later, paths } : null };
}

/** Counts a record as reported, and the safety backup before it. */
function report(writer: LogWriter, { id }: HistoryRecord): void {
  for (const other of writer.records.values())
    if (other.id === id || (id === writer.id && other.safetyBackupFor !== null)) writer.report(other.id);
}

/**
 * Leaves a record open. A record that says `sent` although this process holds its log was sent by a process that was killed: its
 * outcome becomes `unknown`.
 */
async function leaveOpen(
  writer: LogWriter,
  record: HistoryRecord,
  reason: OpenReason,
  why: Pick<Extract<ResumeResult, { reason: OpenReason }>, 'laterChange' | 'proofResult'> = {},
): Promise<ResumeResult> {
  const failure = { code: 'connection_lost', message: 'storectl ended before the response arrived' };
  if (record.state === 'sent') await writer.change([{ id: record.id, state: 'unknown', failure }]);
  return { action: 'left_open', record: recordIn(writer.records, record.id), reason, ...why };
}

/**
 * Settles records in doubt with the state that a person found in the store. `id` is that of a record, or of a log for all its records
 * in doubt. Throws a HistoryError `already_settled` if none of them is in doubt.
 */
export async function markRecords(
  history: StoreHistory,
  id: string,
  state: 'applied' | 'not_sent',
  options: Pick<SendOptions, 'signal'> = {},
): Promise<HistoryRecord[]> {
  const ids = history
    .snapshot()
    .recordsOf(id)
    .map((record) => record.id);
  const writer = await history.reopen(logIdOf(id.toLowerCase()), options);
  const marked = ids.filter((one) => isInDoubt(recordIn(writer.records, one)));
  if (marked.length === 0) {
    const [{ state: found } = { state }] = ids.map((one) => recordIn(writer.records, one));
    throw new HistoryError('already_settled', `${id} is already settled (${found})`);
  }
  const failure = { code: markedByHand, message: 'marked by hand' };
  await writer.change(marked.map((one) => ({ id: one, state, failure })));
  return marked.map((one) => recordIn(writer.records, one));
}
