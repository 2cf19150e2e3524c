import type { Outcome } from '../../client/outcome.ts';
import { DamagedError, HistoryError } from '../errors.ts';
import {
  acquireOrder,
  type Finding,
  type History,
  isKeyForgotten,
  lockOptionsOf,
  logIdOf,
  type Recorded,
  type SendOptions,
} from '../history.ts';
import { type HistoryRecord, isInDoubt } from '../journal/history-record.ts';
import type { LogWriter } from '../journal/journal.ts';
import { overlap, rulesOf } from '../operation-rules.ts';
import { markedByHand, recordedOutcome } from '../recorded-outcome.ts';
import { isOvertaken, overtake } from './overtake.ts';
import { refusesTwice } from './refuses-twice.ts';
import { makeSafetyBackup, type SafetyBackup, safetyIntent } from './safety-backup.ts';
import { lookForProof, recordIn, sendRecord, writeOutcome } from './send.ts';

export interface ResumeOptions extends SendOptions {
  /** The user has said yes to sending this one, whatever its age. */
  readonly isConfirmed?: boolean | undefined;
  /** Makes the safety backup that comes before a change that destroys something. */
  readonly safetyBackup?: SafetyBackup | undefined;
  /** One of many requests. */
  readonly inBatch?: boolean | undefined;
}

/**
 * What `resume` did about a record:
 * - `sent`: sent again, with this outcome.
 * - `settled`: a read has shown it.
 * - `told`: its outcome was known already, but had not been reported.
 * - `overtaken`: it no longer matters, because `record.overtakenBy` was applied later.
 * - `left`: nothing.
 */
export type Resumed =
  | ({ readonly action: 'sent' | 'settled' | 'told'; readonly safetyBackup: Recorded | null } & Recorded)
  | { readonly action: 'overtaken'; readonly record: HistoryRecord }
  | {
      readonly action: 'left';
      readonly record: HistoryRecord;
      readonly reason: LeftReason;
      /** The change that stands in the way, of `later_change`. */
      readonly later?: HistoryRecord;
      readonly finding?: Finding;
    };

/**
 * Why a record is left as it is:
 * - `running`: another process works on it.
 * - `too_old`: its key may have been forgotten; `needs_yes`: it destroys what was changed since. Both are sent if confirmed.
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
  if (history.isHeldElsewhere(logIdOf(found.id))) return { action: 'left', record: found, reason: 'running' };
  const order = await acquireOrder(history, found.operation, options);
  try {
    const writer = await history.reopen(logIdOf(found.id), lockOptionsOf(options));
    return await continueRecord(history, writer, recordIn(writer, found.id), options);
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
  if (record.overtakenBy !== null) {
    tell(writer, record);
    return { action: 'overtaken', record };
  }
  const outcome = recordedOutcome(record);
  if (outcome !== null && !isInDoubt(record)) {
    tell(writer, record);
    return { action: 'told', record, ...known(outcome) };
  }
  if (record.unreadable) return { action: 'left', record, reason: 'unreadable' };
  const rules = rulesOf(record.operation);
  const obstacle = await findLater(history, writer, record);
  if (obstacle !== null) return obstacle;
  const { journal } = history;
  const sending = { ...options, writer, now: journal.now };
  options.client.pause(history.storeWait());
  if (rules.proof !== undefined) {
    const { finding, applied } = await lookForProof(sending, record);
    if (applied !== null) {
      const settled = await writeOutcome(sending, record.id, applied, true);
      return { action: 'settled', ...settled, safetyBackup: null };
    }
    if (rules.resume === 'read' || finding !== 'untouched')
      return left(await ended(writer, record), 'not_settled', finding);
  }
  const isSafe = rules.resume !== 'ask' || (await refusesTwice(history, record, options));
  if (isSafe === null) return left(await ended(writer, record), 'not_settled', 'unreadable');
  if (!isSafe) return left(await ended(writer, record), 'ask_user');
  const question = options.isConfirmed ? null : needsYes(record, journal.now());
  if (question !== null) return left(record, question);
  let safetyBackup: Recorded | null = null;
  const { safetyBackup: safety } = options;
  const intent = safety && safetyIntent(history, record, safety);
  if (intent !== undefined) {
    const [added] = await writer.add([intent]);
    const made = await makeSafetyBackup(sending, added?.id ?? '', (safetyBackupId) =>
      writer.change([{ id: record.id, safetyBackupId }]),
    );
    ({ safetyBackup } = made);
    if (!made.mayGoOn) return { action: 'sent', ...safetyBackup, safetyBackup };
  }
  const sent = await sendRecord(sending, record.id, { isFirst: false });
  tell(writer, record);
  if (sent.outcome.kind === 'applied')
    await overtake(history, sent.record, history.readForChange(record.operation));
  return { action: 'sent', ...sent, safetyBackup };
}

/** Reporting a change also reports the backup before it. */
function tell(writer: LogWriter, { id }: HistoryRecord): void {
  for (const other of writer.records.values())
    if (other.id === id || (id === writer.id && other.prepares !== null)) writer.tell(other.id);
}

/** Why the user has to be asked before a record is sent again, or null. */
function needsYes(record: HistoryRecord, now: number): 'needs_yes' | 'too_old' | null {
  if (rulesOf(record.operation).preparation !== undefined) return 'needs_yes';
  return record.class === 'keyed' && isKeyForgotten(record, now) ? 'too_old' : null;
}

/**
 * What {@link resumeRecord} would do, from the history alone: tell an outcome, say that it no longer matters, `read` the store
 * (and perhaps send), `send`, or leave it for a reason. Throws a DamagedError if part of the history cannot be read.
 */
export function foreseeResume(
  history: History,
  record: HistoryRecord,
): 'told' | 'overtaken' | 'read' | 'send' | Exclude<LeftReason, 'not_settled'> {
  if (history.isHeldElsewhere(logIdOf(record.id))) return 'running';
  if (!isInDoubt(record)) return record.overtakenBy === null ? 'told' : 'overtaken';
  if (record.unreadable) return 'unreadable';
  const later = changesAfter(history, record);
  if (later.some((other) => isOvertaken(record, other))) return 'overtaken';
  if (later.length > 0 && isSentAgain(record)) return 'later_change';
  const { proof, proofByRefusal, resume } = rulesOf(record.operation);
  if (proof !== undefined || proofByRefusal !== undefined) return 'read';
  return resume === 'ask' ? 'ask_user' : (needsYes(record, history.journal.now()) ?? 'send');
}

const known = (outcome: Outcome) =>
  ({ outcome, isEarlier: true, recordingError: null, finding: null, safetyBackup: null }) as const;

function left(record: HistoryRecord, reason: LeftReason, finding?: Finding): Resumed {
  return { action: 'left', record, reason, ...(finding && { finding }) };
}

/** What was changed later, if that ends the doubt or forbids to send this one. */
async function findLater(
  history: History,
  writer: LogWriter,
  record: HistoryRecord,
): Promise<Resumed | null> {
  const later = changesAfter(history, record);
  const winner = later.find((other) => isOvertaken(record, other));
  if (winner !== undefined) {
    await writer.change([{ id: record.id, overtakenBy: winner.id }]);
    return { action: 'overtaken', record: recordIn(writer, record.id) };
  }
  const [first] = later;
  return first === undefined || !isSentAgain(record)
    ? null
    : { action: 'left', record, reason: 'later_change', later: first };
}

function isSentAgain({ operation }: HistoryRecord): boolean {
  const { resume } = rulesOf(operation);
  return resume === 'send' || resume === 'read-then-send';
}

/** Later changes of the same, which were or may have been applied. */
function changesAfter(history: History, record: HistoryRecord): HistoryRecord[] {
  const touched = rulesOf(record.operation).touches(record);
  return history
    .readLater(record)
    .filter((other) => other.state === 'applied' || isInDoubt(other))
    .filter((other) => isOvertaken(record, other) || isSameNow(record, other) || isInTheWay(other, touched));
}

/** Of several open ones of one command that is about now, only the newest is sent. */
function isSameNow(record: HistoryRecord, other: HistoryRecord): boolean {
  const isSame = other.operation === record.operation && other.fingerprint === record.fingerprint;
  return rulesOf(record.operation).isAboutNow === true && isSame;
}

function isInTheWay(other: HistoryRecord, touched: readonly string[]): boolean {
  return overlap(rulesOf(other.operation).touches(other), touched);
}

/** A record that says `sent` under our lock belongs to a process that was killed: its response is lost. */
async function ended(writer: LogWriter, record: HistoryRecord): Promise<HistoryRecord> {
  if (record.state !== 'sent') return record;
  const failure = { code: 'connection_lost', message: 'storectl ended before the response arrived' };
  await writer.change([{ id: record.id, state: 'unknown', failure }]);
  return recordIn(writer, record.id);
}

/** What {@link resumeRecord} is for, oldest first. Throws a DamagedError if part of the history cannot be read. */
export function openRecords(history: History): HistoryRecord[] {
  const { records, problems } = history.list({ open: true });
  const [problem] = problems.filter(({ kind }) => kind !== 'foreign');
  if (problem !== undefined) {
    throw new DamagedError(problem.file, problem.message, problem.kind === 'newer' ? 'newer' : 'damaged');
  }
  return records.reverse();
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
  const writer = await history.reopen(logIdOf(id.toLowerCase()), lockOptionsOf(options));
  const marked = ids.filter((one) => isInDoubt(recordIn(writer, one)));
  if (marked.length === 0) {
    const [{ state: found } = { state }] = ids.map((one) => recordIn(writer, one));
    throw new HistoryError('already_settled', `${id} is already settled (${found})`);
  }
  const failure = { code: markedByHand, message: 'marked by hand' };
  await writer.change(marked.map((one) => ({ id: one, state, failure })));
  return marked.map((one) => recordIn(writer, one));
}
