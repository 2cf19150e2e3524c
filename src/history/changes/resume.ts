import { type Finding, type History, isTooOld, logIdOf, type SendOptions } from '../history.ts';
import { type LogWriter, recordIn } from '../journal/log-writer.ts';
import { overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import { HistoryError, RefusedError } from '../record/errors.ts';
import { type HistoryRecord, isAfter, isInDoubt, mayBeApplied } from '../record/history-record.ts';
import { changeWithKey } from '../record/intent.ts';
import { markedByHand, recordedOutcome } from '../record/recorded-outcome.ts';
import {
  type FailedSafetyBackup,
  type RecordedChange,
  safetyIntent,
  sendAfterBackup,
} from './safety-backup.ts';
import { type Proved, readAgain, readProof, type Sending, writeOutcome } from './send.ts';
import { isSuperseded, supersede } from './supersede.ts';

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
      readonly finding?: Finding;
    };

/**
 * Why a record is left as it is:
 * - `running`: another process works on it.
 * - `too_old`: it has been in doubt for 20 hours; `needs_yes`: it destroys what was changed since. Both are sent if confirmed.
 * - `later_change`: sending it could overwrite a later change.
 * - `not_settled`: a read did not show it; `finding` says what it showed.
 * - `ask_user`: it cannot be sent twice, and only the user can find out; `unreadable`: so is one whose request was lost.
 */
export type LeftReason =
  | 'running'
  | 'too_old'
  | 'needs_yes'
  | 'later_change'
  | 'not_settled'
  | 'ask_user'
  | 'unreadable';

/**
 * Continues an open record, under the lock of its log. What is particular to its operation stands in operation-rules.ts.
 * Throws a HistoryError if nothing was sent.
 */
export async function resumeRecord(history: History, id: string, options: ResumeOptions): Promise<Resumed> {
  const found = history.get(id);
  if (history.isHeldElsewhere(logIdOf(found.id))) {
    if (isInDoubt(found)) return { action: 'left', record: found, reason: 'running' };
    // The other process still has to print its outcome.
    return { action: 'reported', ...recordedResult(found) };
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
export async function continueRecord(
  history: History,
  writer: LogWriter,
  record: HistoryRecord,
  options: ResumeOptions,
): Promise<Resumed> {
  const { id } = record;
  const { will, later } = planResume(history, record);
  if (will === 'reported') {
    tell(writer, record);
    return { action: 'reported', ...recordedResult(record) };
  }
  if (will === 'superseded') {
    if (later !== undefined) await writer.change([{ id, supersededBy: later.id }]);
    tell(writer, record);
    return { action: 'superseded', record: recordIn(writer.records, id) };
  }
  const isAsked = will === 'needs_yes' || will === 'too_old';
  if (will !== 'send' && will !== 'ask_service' && !(isAsked && options.isConfirmed))
    return left(writer, record, will, { later });
  options.client.pause(history.storeWait());
  const sending = { ...options, writer, now: history.journal.now };
  const settled = will === 'ask_service' ? await askService(sending, record, later) : null;
  if (settled !== null) return settled;
  if (options.readsOnly) return left(writer, record, 'not_settled');
  if (isTooOld(record, history.journal.now()) && !options.isConfirmed) return left(writer, record, 'too_old');
  const safety = safetyIntent(history, record, options.safetyLabel);
  const sent = await sendAfterBackup(sending, safety && (await writer.add(safety)).id, {
    id,
    isFirst: false,
    writeDown: (safetyBackupId) => writer.change([{ id, safetyBackupId }]),
  });
  if (sent.kind === 'safety_backup')
    return { action: 'left', record: recordIn(writer.records, id), reason: 'no_safety_backup', ...sent };
  tell(writer, record);
  if (sent.outcome.kind === 'applied')
    await supersede(history, sent.record, history.readForChange(record.operation));
  return { action: 'sent', ...sent };
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
  if (resume === 'read-then-send' && found?.finding === 'untouched' && later === undefined) return null;
  const change = sending.readsOnly ? null : sentAgainByKey(record);
  const answer =
    change === null ? 'no' : (found?.answer ?? (await client.appliesOnce(change, { timeoutMs, signal })));
  if (answer === 'yes') return null;
  found = found && (await readAgain(sending, record, found));
  const shownNow = found && (await settle(found));
  if (shownNow) return shownNow;
  if (found !== undefined) return left(writer, record, 'not_settled', { finding: found.finding });
  if (answer === 'unanswered') return left(writer, record, 'not_settled', { finding: 'unreadable' });
  return later === undefined
    ? left(writer, record, 'ask_user')
    : left(writer, record, 'later_change', { later });
}

/**
 * A record that can be sent again to a service that applies the key in its header once, or null. What was not applied is then applied
 * now, so what sets values also needs `If-Match`: others may have set them since.
 */
function sentAgainByKey(record: HistoryRecord): ReturnType<typeof changeWithKey> {
  const overwrites = rulesOf(record.operation).inOrder ?? false;
  return overwrites && record.ifMatch === null ? null : changeWithKey(record);
}

/** Reporting a change also reports the backup before it. */
function tell(writer: LogWriter, { id }: HistoryRecord): void {
  for (const other of writer.records.values())
    if (other.id === id || (id === writer.id && other.safetyBackupFor !== null)) writer.report(other.id);
}

/** What can be said of a record from the history alone: `later` is the change that decides it. */
interface ResumePlan {
  readonly will:
    | 'reported'
    | 'superseded'
    | 'ask_service'
    | 'send'
    | Exclude<LeftReason, 'running' | 'not_settled'>;
  readonly later?: HistoryRecord | undefined;
}

function planResume(history: History, record: HistoryRecord): ResumePlan {
  if (!isInDoubt(record)) return { will: record.supersededBy === null ? 'reported' : 'superseded' };
  if (record.unreadable) return { will: 'unreadable' };
  const changes = changesAfter(history, record);
  const winner = changes.find((other) => isSuperseded(record, other));
  if (winner !== undefined) return { will: 'superseded', later: winner };
  const { proof, resume, safetyBackupRule } = rulesOf(record.operation);
  const [later] = changes;
  if (later !== undefined) {
    // With If-Match it overwrites nothing. What is in doubt itself goes first: if it is applied, this one no longer matters.
    const isSafe = sentAgainByKey(record) !== null && !changes.some(isInDoubt);
    return { will: isSafe ? 'ask_service' : 'later_change', later };
  }
  if (proof !== undefined) return { will: 'ask_service' };
  if (resume === 'ask') return { will: sentAgainByKey(record) === null ? 'ask_user' : 'ask_service' };
  if (isTooOld(record, history.journal.now())) return { will: 'too_old' };
  return { will: safetyBackupRule === undefined ? 'send' : 'needs_yes' };
}

/**
 * What {@link resumeRecord} would do, from the history alone: tell an outcome, say that it no longer matters, ask the service (and
 * perhaps send), `send`, or leave it for a reason. Throws a DamagedError if part of the history cannot be read.
 */
export function previewResume(history: History, record: HistoryRecord): ResumePlan['will'] | 'running' {
  return history.isHeldElsewhere(logIdOf(record.id)) ? 'running' : planResume(history, record).will;
}

/** An outcome that was known before, as it is handed on. Throws a RefusedError `in_doubt` if there is none. */
export function recordedResult(record: HistoryRecord): RecordedChange {
  const outcome = recordedOutcome(record);
  if (outcome === null) throw new RefusedError('in_doubt', record);
  const none = { recordingError: null, finding: null, safetyBackup: null };
  return { kind: 'change', record, outcome, isEarlier: true, ...none };
}

/** Leaves a record as it is. One that says `sent` under our lock belongs to a process that was killed: its response is lost. */
async function left(
  writer: LogWriter,
  record: HistoryRecord,
  reason: LeftReason,
  why: Pick<Extract<Resumed, { reason: LeftReason }>, 'later' | 'finding'> = {},
): Promise<Resumed> {
  const failure = { code: 'connection_lost', message: 'storectl ended before the response arrived' };
  if (record.state === 'sent') await writer.change([{ id: record.id, state: 'unknown', failure }]);
  return { action: 'left', record: recordIn(writer.records, record.id), reason, ...why };
}

/** Later changes of the same, which were or may have been applied. */
function changesAfter(history: History, record: HistoryRecord): HistoryRecord[] {
  return history.readLater(record).filter((other) => mayBeApplied(other) && writesSame(other, record));
}

/** Of several open ones of one command that is about now, only the newest is sent. */
function writesSame(later: HistoryRecord, record: HistoryRecord): boolean {
  const { supersedesSame, inOrder } = rulesOf(record.operation);
  const isSame = supersedesSame === true && later.fingerprint === record.fingerprint;
  return isSame || (inOrder === true && overlap(writtenPaths(later), writtenPaths(record)));
}

/**
 * What {@link resumeRecord} is for, oldest first, but for what a later change in doubt stands in the way of: that comes after it.
 * Throws a DamagedError if part of the history cannot be read.
 */
export function openRecords(history: History): HistoryRecord[] {
  const newestFirst = history.listWhole({ open: true });
  const inDoubt = newestFirst.filter(isInDoubt);
  const waits = (record: HistoryRecord) =>
    isInDoubt(record) && inDoubt.some((later) => isAfter(later, record) && writesSame(later, record));
  return [...newestFirst.filter((record) => !waits(record)).reverse(), ...newestFirst.filter(waits)];
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
  const ids = history.recordsOf(id).map((record) => record.id);
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
