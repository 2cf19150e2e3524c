import type { Outcome } from '../../client/outcome.ts';
import { isSilentOnEarlierAttempt } from '../../client/retry.ts';
import type { Operation } from '../../contract/operation.ts';
import { HistoryError } from '../errors.ts';
import type { Lock } from '../files/lock.ts';
import type { Performed, SendOptions } from '../history.ts';
import { type HistoryRecord, mayHaveBeenApplied, rawOperationId } from '../records/record.ts';
import { patchOf } from '../records/recorded-outcome.ts';
import { callInputOf } from './call-input.ts';

/**
 * Sends the stored bytes of a record, under its lock, and writes down how far it got: `sent` before the first byte
 * leaves, the outcome after. An unknown outcome that can be settled by reading is settled.
 *
 * Throws a HistoryError only while it is certain that nothing was sent by this call. What can no longer be written
 * afterwards (a disk that has filled up) is a warning; the record then stays open, which is true.
 */
export async function sendRecord(
  options: SendOptions & {
    /** What the record is of. */
    readonly operation: Pick<Operation, 'id' | 'response'>;
  },
  lock: Lock,
  opened: HistoryRecord,
): Promise<Performed> {
  const { history, client, operation } = options;
  const doubtful = mayHaveBeenApplied(opened);
  const warnings: string[] = [];
  let record = opened;
  let started = 0;

  async function markSent(attempt: number): Promise<void> {
    lock.assertHeld();
    const sentAt = new Date(history.now()).toISOString();
    const patch = { state: 'sent', sentAt, attempts: opened.attempts + attempt } as const;
    try {
      record = await history.update(record, patch);
    } catch (error) {
      // The file says `sent` or `unknown` already unless this is the very first byte.
      if (started === 0 && !doubtful) throw error;
    }
    started = attempt;
  }

  // Of a request outside the contract nothing is known that its answer could differ from.
  const isRaw = operation.id === rawOperationId;
  let outcome: Outcome;
  try {
    const sent = await client.send(
      {
        method: opened.method,
        path: opened.path,
        body: opened.body,
        class: opened.class,
        response: isRaw ? null : operation.response,
        anyBody: isRaw,
      },
      {
        ...callInputOf(options),
        ...(opened.ifMatch !== null && { ifMatch: opened.ifMatch }),
        beforeAttempt: markSent,
      },
    );
    outcome = doubtful ? keepDoubt(sent, opened) : sent;
  } catch (error) {
    if (!(error instanceof HistoryError) || started === 0) throw error;
    outcome = interrupted(error, started);
  }

  let settled = false;
  if (outcome.kind === 'unknown' && options.signal?.aborted !== true) {
    // Rarely needed: loaded when it is.
    const { settleByReading } = await import('./reconcile.ts');
    const finding = await settleByReading(options, record, outcome);
    settled = finding.verdict === 'settled';
    outcome = finding.outcome;
    if (finding.note !== null) warnings.push(finding.note);
  }
  try {
    record = await history.update(record, patchOf(outcome, history.now(), settled));
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    warnings.push(`What came of it could not be written down: ${error.message}`);
  }
  return { record, outcome, warnings };
}

/**
 * The outcome of a run after one that may have been applied: what does not tell about that earlier one leaves it
 * unknown. 404 does not tell either, since the profile may have been given the key of another store in between.
 */
function keepDoubt(outcome: Outcome, record: HistoryRecord): Outcome {
  const { attempts, requestId } = outcome;
  if (outcome.kind === 'not_sent') {
    const { failure } = outcome;
    return { kind: 'unknown', attempts, requestId, failure, status: null, problem: null, retryAt: null };
  }
  if (outcome.kind !== 'rejected') return outcome;
  const { status, problem, retryAt } = outcome;
  if (status !== 404 && !isSilentOnEarlierAttempt(status, record.class)) return outcome;
  const failure = { code: 'connection_lost', message: 'the answer to an earlier request was lost' } as const;
  return { kind: 'unknown', attempts, requestId, failure, status, problem, retryAt };
}

/** Attempts were made, and then the lock was lost. */
function interrupted(error: HistoryError, attempts: number): Outcome {
  const failure = { code: 'cancelled', message: error.message } as const;
  return { kind: 'unknown', attempts, requestId: null, failure, status: null, problem: null, retryAt: null };
}
