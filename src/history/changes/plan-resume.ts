import type { OpenReason } from '../decision.ts';
import type { StoreHistory } from '../history.ts';
import { overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import {
  type HistoryRecord,
  isAfter,
  isInDoubt,
  isTooOld,
  logIdOf,
  mayBeApplied,
} from '../record/history-record.ts';
import { keyQuestionOf } from '../record/keys.ts';
import type { Snapshot } from '../snapshot.ts';
import { isSuperseded } from './supersede.ts';

/** What to do about an open record, as far as the history alone can tell. */
interface ResumePlan {
  readonly kind:
    | 'reported'
    | 'superseded'
    | 'ask_service'
    | 'send'
    | Exclude<OpenReason, 'running' | 'not_settled'>;
  /** The later change that decides it, if one does. */
  readonly laterChange?: HistoryRecord | undefined;
}

/** Throws a DamagedError if a log that decides cannot be read. */
export function planResume(snapshot: Snapshot, record: HistoryRecord, now: number): ResumePlan {
  if (!isInDoubt(record)) return { kind: record.supersededBy === null ? 'reported' : 'superseded' };
  if (record.requestLost) return { kind: 'request_lost' };
  const changes = changesAfter(snapshot, record);
  const winner = changes.find((other) => isSuperseded(record, other));
  if (winner !== undefined) return { kind: 'superseded', laterChange: winner };
  const { proof, resume, safetyBackupRule } = rulesOf(record.operation);
  const [later] = changes;
  if (later !== undefined) {
    // With If-Match, the record overwrites nothing. But a later change in doubt goes first: if it is applied, this one is superseded.
    const isSafe = sentAgainByKey(record) !== null && !changes.some(isInDoubt);
    return { kind: isSafe ? 'ask_service' : 'later_change', laterChange: later };
  }
  if (proof !== undefined) return { kind: 'ask_service' };
  // A raw request of class `keyed` whose user left the key out of the body is recorded as one-shot.
  if (resume === 'ask' || (resume === 'send' && record.class === 'one-shot'))
    return { kind: sentAgainByKey(record) === null ? 'ask_user' : 'ask_service' };
  if (isTooOld(record, now)) return { kind: 'too_old' };
  return { kind: safetyBackupRule === undefined ? 'send' : 'needs_yes' };
}

/**
 * What `resumeRecord` would do about a record, as far as the history alone can tell. Sends nothing and takes no lock. Throws a
 * DamagedError if part of the history cannot be read.
 */
export function previewResume(history: StoreHistory, record: HistoryRecord): ResumePlan['kind'] | 'running' {
  if (history.isHeldElsewhere(logIdOf(record.id))) return 'running';
  return planResume(history.snapshot(), record, history.journal.now()).kind;
}

/**
 * The question whether the service applies the key in the header of a record once: if so, the record can be sent again. Null if the
 * record has no such key, or sets values and has no `If-Match`: others may have set the same values since.
 */
export function sentAgainByKey(record: HistoryRecord): ReturnType<typeof keyQuestionOf> {
  const overwrites = rulesOf(record.operation).inOrder ?? false;
  return overwrites && record.ifMatch === null ? null : keyQuestionOf(record);
}

/** The later changes of the same values that were applied or may have been, oldest first. Throws a DamagedError. */
function changesAfter(snapshot: Snapshot, record: HistoryRecord): HistoryRecord[] {
  const { supersedesSame = false, inOrder = false } = rulesOf(record.operation);
  if (!supersedesSame && !inOrder) return [];
  const changes = [...snapshot.records({ since: record.number })].reverse();
  return changes.filter(
    (other) => isAfter(other, record) && mayBeApplied(other) && writesSame(other, record),
  );
}

/** Whether a later change sets some of the same, or is from the same command and supersedes the record. */
function writesSame(later: HistoryRecord, record: HistoryRecord): boolean {
  const { supersedesSame, inOrder } = rulesOf(record.operation);
  const isSame = supersedesSame === true && later.fingerprint === record.fingerprint;
  return isSame || (inOrder === true && overlap(writtenPaths(later), writtenPaths(record)));
}

/**
 * The open records, oldest first. A record comes last if a later change of the same values is in doubt: once that one is applied, the
 * record is superseded. Throws a DamagedError if part of the history cannot be read.
 */
export function openRecords(history: StoreHistory): HistoryRecord[] {
  const newestFirst = history.snapshot().listWhole({ open: true });
  const inDoubt = newestFirst.filter(isInDoubt);
  const waits = (record: HistoryRecord) =>
    isInDoubt(record) && inDoubt.some((later) => isAfter(later, record) && writesSame(later, record));
  return [...newestFirst.filter((record) => !waits(record)).reverse(), ...newestFirst.filter(waits)];
}
