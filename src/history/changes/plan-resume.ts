import type { LeftReason } from '../decision.ts';
import { type History, isTooOld, logIdOf } from '../history.ts';
import { overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import { type HistoryRecord, isAfter, isInDoubt, mayBeApplied } from '../record/history-record.ts';
import { changeWithKey } from '../record/intent.ts';
import type { Snapshot } from '../snapshot.ts';
import { isSuperseded } from './supersede.ts';

/** What can be said of a record from the history alone: `later` is the change that decides it. */
interface ResumePlan {
  readonly kind:
    | 'reported'
    | 'superseded'
    | 'ask_service'
    | 'send'
    | Exclude<LeftReason, 'running' | 'not_settled'>;
  readonly later?: HistoryRecord | undefined;
}

export function planResume(snapshot: Snapshot, record: HistoryRecord, now: number): ResumePlan {
  if (!isInDoubt(record)) return { kind: record.supersededBy === null ? 'reported' : 'superseded' };
  if (record.requestLost) return { kind: 'request_lost' };
  const changes = changesAfter(snapshot, record);
  const winner = changes.find((other) => isSuperseded(record, other));
  if (winner !== undefined) return { kind: 'superseded', later: winner };
  const { proof, resume, safetyBackupRule } = rulesOf(record.operation);
  const [later] = changes;
  if (later !== undefined) {
    // With If-Match it overwrites nothing. What is in doubt itself goes first: if it is applied, this one no longer matters.
    const isSafe = sentAgainByKey(record) !== null && !changes.some(isInDoubt);
    return { kind: isSafe ? 'ask_service' : 'later_change', later };
  }
  if (proof !== undefined) return { kind: 'ask_service' };
  // A raw request may lack the key that its operation has in its body.
  if (resume === 'ask' || (resume === 'send' && record.class === 'one-shot'))
    return { kind: sentAgainByKey(record) === null ? 'ask_user' : 'ask_service' };
  if (isTooOld(record, now)) return { kind: 'too_old' };
  return { kind: safetyBackupRule === undefined ? 'send' : 'needs_yes' };
}

/**
 * What `resumeRecord` would do, from the history alone: tell an outcome, say that it no longer matters, ask the service (and
 * perhaps send), `send`, or leave it for a reason. Throws a DamagedError if part of the history cannot be read.
 */
export function previewResume(history: History, record: HistoryRecord): ResumePlan['kind'] | 'running' {
  if (history.isHeldElsewhere(logIdOf(record.id))) return 'running';
  return planResume(history.snapshot(), record, history.journal.now()).kind;
}

/**
 * A record that can be sent again to a service that applies the key in its header once, or null. What was not applied is then applied
 * now, so what sets values also needs `If-Match`: others may have set them since.
 */
export function sentAgainByKey(record: HistoryRecord): ReturnType<typeof changeWithKey> {
  const overwrites = rulesOf(record.operation).inOrder ?? false;
  return overwrites && record.ifMatch === null ? null : changeWithKey(record);
}

/** Later changes of the same, which were or may have been applied, oldest first. Throws a DamagedError. */
function changesAfter(snapshot: Snapshot, record: HistoryRecord): HistoryRecord[] {
  const { supersedesSame = false, inOrder = false } = rulesOf(record.operation);
  if (!supersedesSame && !inOrder) return [];
  const changes = [...snapshot.records({ since: record.number })].reverse();
  return changes.filter(
    (other) => isAfter(other, record) && mayBeApplied(other) && writesSame(other, record),
  );
}

/** Of several open ones of one command that is about now, only the newest is sent. */
function writesSame(later: HistoryRecord, record: HistoryRecord): boolean {
  const { supersedesSame, inOrder } = rulesOf(record.operation);
  const isSame = supersedesSame === true && later.fingerprint === record.fingerprint;
  return isSame || (inOrder === true && overlap(writtenPaths(later), writtenPaths(record)));
}

/**
 * What `resumeRecord` is for, oldest first, but for what a later change in doubt stands in the way of: that comes after it.
 * Throws a DamagedError if part of the history cannot be read.
 */
export function openRecords(history: History): HistoryRecord[] {
  const newestFirst = history.snapshot().listWhole({ open: true });
  const inDoubt = newestFirst.filter(isInDoubt);
  const waits = (record: HistoryRecord) =>
    isInDoubt(record) && inDoubt.some((later) => isAfter(later, record) && writesSame(later, record));
  return [...newestFirst.filter((record) => !waits(record)).reverse(), ...newestFirst.filter(waits)];
}
