import type { Outcome } from '../../client/outcome/outcome.ts';
import { type HistoryError, RefusedError } from '../record/errors.ts';
import type { HistoryRecord } from '../record/history-record.ts';
import { recordedOutcome } from '../record/recorded-outcome.ts';

/** What a read for proof showed, see `Proof.judge`. `unanswered`: the read failed, or its response is about something else. */
export type ProofResult = 'applied' | 'untouched' | 'other' | 'unanswered';

/** One record after this command has sent it, or has found its outcome in the history. */
export interface Recorded {
  readonly record: HistoryRecord;
  /** The outcome of all attempts, those of earlier commands included: a refusal now does not end a doubt from before. */
  readonly outcome: Outcome;
  /** This command sent nothing: the outcome is that of an earlier command. */
  readonly isEarlier: boolean;
  /** Why the outcome could not be written to the log; the record is then still open. Null if it was written. */
  readonly recordingError: HistoryError | null;
  /** Null if nothing was read for proof. */
  readonly proofResult: ProofResult | null;
}

/** The result of a change. */
export interface RecordedChange extends Recorded {
  readonly kind: 'change';
  /** Null if this command took no safety backup. */
  readonly safetyBackup: Recorded | null;
}

/** The result of a change that was not sent, because its safety backup was not applied, or could not be recorded. */
export interface FailedSafetyBackup {
  readonly kind: 'safety_backup';
  readonly safetyBackup: Recorded;
  /** The change that was not sent, if an earlier attempt of it may have been applied. */
  readonly inDoubt: HistoryRecord | null;
}

/** The result of a change whose outcome is in its record already. Throws a RefusedError `in_doubt` if the record has none. */
export function recordedResult(record: HistoryRecord): RecordedChange {
  const outcome = recordedOutcome(record);
  if (outcome === null) throw new RefusedError('in_doubt', record);
  const none = { recordingError: null, proofResult: null, safetyBackup: null };
  return { kind: 'change', record, outcome, isEarlier: true, ...none };
}
