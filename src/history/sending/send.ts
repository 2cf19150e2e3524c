import { keepDoubt } from '../../client/doubt.ts';
import type { Failure, Outcome } from '../../client/outcome.ts';
import type { Operation } from '../../contract/operation.ts';
import { HistoryError } from '../errors.ts';
import type { Lock } from '../files/lock.ts';
import type { History, Performed, SendOptions } from '../history.ts';
import { type HistoryRecord, mayHaveBeenApplied, rawOperationId } from '../records/record.ts';
import { patchOf } from '../records/recorded-outcome.ts';
import { callInputOf } from './call-input.ts';

/**
 * Sends the stored bytes of a record, under its lock, and writes down how far it got: `sent` before the first byte
 * leaves, the outcome after. An unknown outcome that can be settled by reading is settled.
 *
 * Throws a HistoryError only if it is certain that nothing was sent by this call. What can no longer be written
 * afterwards (a full disk) is a warning; the record then stays open, which is true.
 */
export async function sendRecord(
  options: SendOptions & {
    /** What the record is of. */
    readonly operation: Pick<Operation, 'id' | 'path' | 'response' | 'repeats'>;
  },
  lock: Lock,
  opened: HistoryRecord,
): Promise<Performed> {
  const { history, client, operation } = options;
  const isInDoubt = mayHaveBeenApplied(opened);
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
      // The file says `sent` or `unknown` already, unless this is the very first byte.
      if (started === 0 && !isInDoubt) throw error;
    }
    started = attempt;
  }

  // Nothing is known about a request outside the contract, so its answer cannot differ from it.
  const isRaw = operation.id === rawOperationId;
  let outcome: Outcome;
  try {
    const sent = await client.send(
      {
        method: opened.method,
        path: opened.path,
        body: opened.body,
        class: opened.class,
        operation: isRaw ? null : operation,
        anyBody: isRaw,
      },
      {
        ...callInputOf(options, opened),
        ...(opened.ifMatch !== null && { ifMatch: opened.ifMatch }),
        beforeAttempt: markSent,
      },
    );
    outcome = isInDoubt ? keepDoubt(sent, doubtOf(opened, sent)) : sent;
  } catch (error) {
    if (!(error instanceof HistoryError) || started === 0) throw error;
    outcome = interrupted(error, started);
  }

  let settled = false;
  if (outcome.kind === 'unknown') {
    // Rarely needed: loaded when it is.
    const { settleByReading } = await import('./reconcile.ts');
    const finding = await settleByReading(options, record);
    settled = finding.verdict === 'settled';
    if (finding.verdict === 'settled') outcome = finding.outcome;
    if (finding.note !== null) warnings.push(finding.note);
  }
  try {
    record = await history.update(record, patchOf(outcome, history.now(), settled));
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    warnings.push(`The outcome could not be recorded: ${error.message}`);
    if (!(await isOnDisk(history, record))) return { record, isRecorded: false, outcome, warnings };
  }
  return { record, isRecorded: true, outcome, warnings };
}

/** Why it is not known what became of the record: if it could not be sent again now, why not. */
function doubtOf({ failure }: HistoryRecord, sent: Outcome): Failure {
  const { message } =
    sent.kind === 'not_sent'
      ? sent.failure
      : (failure ?? { message: 'the response to an earlier request was lost' });
  return { code: 'connection_lost', message };
}

/** Attempts were made, and then the lock was lost. */
function interrupted(error: HistoryError, attempts: number): Outcome {
  const failure = { code: 'cancelled', message: error.message } as const;
  return { kind: 'unknown', attempts, requestId: null, failure, status: null, problem: null, retryAt: null };
}

async function isOnDisk(history: History, { id }: HistoryRecord): Promise<boolean> {
  try {
    await history.get(id);
    return true;
  } catch {
    return false;
  }
}
