import { asObject } from '../../base/json.ts';
import type { Applied } from '../../client/outcome/outcome.ts';
import type { Decision, LeftReason } from '../decision.ts';
import { type History, isTooOld, logIdOf, type ProofResult, type SendOptions } from '../history.ts';
import { type LogWriter, recordIn } from '../journal/log-writer.ts';
import { overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import { HistoryError, RefusedError } from '../record/errors.ts';
import { type HistoryRecord, isInDoubt } from '../record/history-record.ts';
import { markedByHand, recordedOutcome } from '../record/recorded-outcome.ts';
import { planResume, sentAgainByKey } from './plan-resume.ts';
import {
  type FailedSafetyBackup,
  type RecordedChange,
  safetyIntent,
  sendAfterBackup,
} from './safety-backup.ts';
import { type Proved, readAgain, readProof, type Sending, writeOutcome } from './send.ts';
import { supersede } from './supersede.ts';

export interface ResumeOptions extends SendOptions {
  /** The user has said yes to sending this one, whatever its age. */
  readonly isConfirmed?: boolean | undefined;
  /** Of the backup to make before a change that destroys something; none is made without it. */
  readonly safetyLabel?: string | undefined;
  /** Reads, and sends nothing: the caller wants something else than what is in doubt. */
  readonly readsOnly?: boolean | undefined;
  /** One of many requests. */
  readonly inBatch?: boolean | undefined;
}

/**
 * What `resume` did about a record:
 * - `sent`: sent again, with this outcome.
 * - `settled`: a read has shown it.
 * - `reported`: its outcome was known already, but had not been reported.
 * - `superseded`: it no longer matters, because `record.supersededBy` was applied later.
 * - `left`: nothing.
 */
export type Resumed =
  | ({ readonly action: 'sent' | 'settled' | 'reported' } & RecordedChange)
  | ({
      readonly action: 'left';
      readonly record: HistoryRecord;
      readonly reason: 'no_safety_backup';
    } & FailedSafetyBackup)
  | { readonly action: 'superseded'; readonly record: HistoryRecord }
  | {
      readonly action: 'left';
      readonly record: HistoryRecord;
      readonly reason: LeftReason;
      /** The change that stands in the way, of `later_change`. */
      readonly later?: HistoryRecord | undefined;
      readonly proofResult?: ProofResult;
    };

/**
 * Continues an open record, under the lock of its log. What is particular to its operation stands in operation-rules.ts.
 * Throws a HistoryError if nothing was sent.
 */
export async function resumeRecord(history: History, id: string, options: ResumeOptions): Promise<Resumed> {
  const found = history.snapshot().get(id);
  if (history.isHeldElsewhere(logIdOf(found.id))) {
    // The other process still has to print an outcome.
    const resumed: Resumed = isInDoubt(found)
      ? { action: 'left', record: found, reason: 'running' }
      : { action: 'reported', ...recordedResult(found) };
    history.explain(decisionOf(resumed));
    return resumed;
  }
  const { inOrder } = rulesOf(found.operation);
  const order = inOrder ? await history.journal.acquire('order', options) : null;
  try {
    const writer = await history.reopen(logIdOf(found.id), options);
    return await continueRecord(history, writer, recordIn(writer.records, found.id), options);
  } finally {
    order?.release();
  }
}

/** As {@link resumeRecord}, of a log that this process holds, with the lock that the operation needs. */
export async function continueRecord(...given: Parameters<typeof sendOrSettle>): Promise<Resumed> {
  const [history] = given;
  const resumed = await sendOrSettle(...given);
  history.explain(decisionOf(resumed));
  return resumed;
}

async function sendOrSettle(
  history: History,
  writer: LogWriter,
  record: HistoryRecord,
  options: ResumeOptions,
): Promise<Resumed> {
  const { id } = record;
  const snapshot = history.snapshot();
  const { kind, later } = planResume(snapshot, record, history.journal.now());
  if (kind === 'reported') {
    report(writer, record);
    return { action: 'reported', ...recordedResult(record) };
  }
  if (kind === 'superseded') {
    if (later !== undefined) await writer.change([{ id, supersededBy: later.id }]);
    report(writer, record);
    return { action: 'superseded', record: recordIn(writer.records, id) };
  }
  const isAsked = kind === 'needs_yes' || kind === 'too_old';
  if (kind !== 'send' && kind !== 'ask_service' && !(isAsked && options.isConfirmed))
    return leaveOpen(writer, record, kind, { later });
  options.client.pause(history.storeWait());
  const sending = { ...options, writer, now: history.journal.now };
  const settled = kind === 'ask_service' ? await askService(sending, record, later) : null;
  if (settled !== null) return settled;
  if (options.readsOnly) return leaveOpen(writer, record, 'not_settled');
  if (isTooOld(record, history.journal.now()) && !options.isConfirmed)
    return leaveOpen(writer, record, 'too_old');
  // Read before it is sent: where that fails, nothing is.
  const open = [...snapshot.records({ open: true })];
  const safety = safetyIntent(history, record, options.safetyLabel);
  const sent = await sendAfterBackup(sending, safety && (await writer.add(safety)).id, {
    id,
    isFirst: false,
    writeDown: (safetyBackupId) => writer.change([{ id, safetyBackupId }]),
  });
  if (sent.kind === 'safety_backup')
    return { action: 'left', record: recordIn(writer.records, id), reason: 'no_safety_backup', ...sent };
  report(writer, record);
  if (sent.outcome.kind !== 'applied') return { action: 'sent', ...sent };
  if (safety !== null && sent.outcome.replayed)
    await writer.change([{ id, safetyBackupId: backupBeforeFirst(record, sent.outcome) }]);
  await supersede(history, sent.record, open);
  return { action: 'sent', ...sent, record: recordIn(writer.records, id) };
}

/**
 * What undoes a change that an earlier attempt had made, as its response says: the backup from before that attempt, not the one that
 * was taken now. Null if this machine knows none.
 */
function backupBeforeFirst({ operation, safetyBackupId }: HistoryRecord, { body }: Applied): string | null {
  const taken = rulesOf(operation).safetyBackupRule?.takenByService(asObject(body));
  return typeof taken === 'string' ? taken : safetyBackupId;
}

/**
 * What the service says about a record: a read may show it, and whether it applies the key in the header once. Null if it is safe
 * to send it again.
 */
async function askService(
  sending: Sending & Pick<ResumeOptions, 'readsOnly'>,
  record: HistoryRecord,
  later: HistoryRecord | undefined,
): Promise<Resumed | null> {
  const { writer, client, timeoutMs, signal } = sending;
  const { proof, resume } = rulesOf(record.operation);
  const settle = async (found: Proved): Promise<Resumed | null> => {
    if (found.applied === null) return null;
    const settled = await writeOutcome(sending, record.id, found.applied, true);
    return { action: 'settled', kind: 'change', ...settled, safetyBackup: null };
  };
  let found = proof && (await readProof(sending, record));
  const shown = found && (await settle(found));
  if (shown) return shown;
  if (resume === 'read-then-send' && found?.proofResult === 'untouched' && later === undefined) return null;
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
  return later === undefined
    ? leaveOpen(writer, record, 'ask_user')
    : leaveOpen(writer, record, 'later_change', { later });
}

/** What `--debug` says of it. */
function decisionOf(resumed: Resumed): Decision {
  const { action, record } = resumed;
  const { id } = record;
  if (action === 'superseded') return { kind: action, id, by: record.supersededBy ?? '' };
  if (action !== 'left') return { kind: action, record };
  const later = 'later' in resumed ? resumed.later : undefined;
  const own = writtenPaths(record);
  const paths = later === undefined ? [] : own.filter((path) => overlap([path], writtenPaths(later)));
  return { kind: action, id, reason: resumed.reason, later: later ? { record: later, paths } : null };
}

/** Reporting a change also reports the backup before it. */
function report(writer: LogWriter, { id }: HistoryRecord): void {
  for (const other of writer.records.values())
    if (other.id === id || (id === writer.id && other.safetyBackupFor !== null)) writer.report(other.id);
}

/** An outcome that was known before, as it is handed on. Throws a RefusedError `in_doubt` if there is none. */
export function recordedResult(record: HistoryRecord): RecordedChange {
  const outcome = recordedOutcome(record);
  if (outcome === null) throw new RefusedError('in_doubt', record);
  const none = { recordingError: null, proofResult: null, safetyBackup: null };
  return { kind: 'change', record, outcome, isEarlier: true, ...none };
}

/** Leaves a record open. One that says `sent` under our lock belongs to a process that was killed: its response is lost. */
async function leaveOpen(
  writer: LogWriter,
  record: HistoryRecord,
  reason: LeftReason,
  why: Pick<Extract<Resumed, { reason: LeftReason }>, 'later' | 'proofResult'> = {},
): Promise<Resumed> {
  const failure = { code: 'connection_lost', message: 'storectl ended before the response arrived' };
  if (record.state === 'sent') await writer.change([{ id: record.id, state: 'unknown', failure }]);
  return { action: 'left', record: recordIn(writer.records, record.id), reason, ...why };
}

/**
 * Ends open records with what a person found out by looking at the store: that with this id, or all of the log whose id it is.
 * Throws a HistoryError `already_settled` if none of them is in doubt.
 */
export async function markRecords(
  history: History,
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
