import { asObject } from '../../base/json.ts';
import { keepDoubt } from '../../client/outcome/doubt.ts';
import type { AttemptFailure, Outcome } from '../../client/outcome/outcome.ts';
import { findOperation } from '../../contract/operations/operations.ts';
import type { SendOptions } from '../history.ts';
import { type LogWriter, recordIn } from '../journal/log-writer.ts';
import { rulesOf } from '../operation-rules.ts';
import { HistoryError } from '../record/errors.ts';
import type { HistoryRecord, RecordChange } from '../record/history-record.ts';
import { headerKeyOf } from '../record/keys.ts';
import { changeOf } from '../record/recorded-outcome.ts';
import type { ProofResult, Recorded } from './change-result.ts';
import { readAgain, readProof } from './read-proof.ts';

/** How a record is sent. */
export interface Sending extends SendOptions {
  /** Writes the log of the record. */
  readonly writer: LogWriter;
  /** Epoch milliseconds. */
  now(): number;
  /** The record belongs to a batch. */
  readonly inBatch?: boolean | undefined;
  readonly onRetry?: (() => void) | undefined;
}

/**
 * Sends a record whose log this process holds, and writes the outcome to the log. The request has the bytes that the record has.
 * `isFirst`: no byte of the request has left this machine before. If the outcome is unknown, and the operation has a read for proof, that
 * read may settle it.
 *
 * Throws a HistoryError only if it is certain that this call sent nothing. An outcome that cannot be written, because the disk is full,
 * is returned with a `recordingError`, and the record stays open.
 */
export async function sendRecord(
  sending: Sending,
  id: string,
  { isFirst }: { isFirst: boolean },
): Promise<Recorded> {
  const { writer, client, now } = sending;
  const opened = recordIn(writer.records, id);
  let started = 0;

  async function beforeAttempt(attempt: number): Promise<void> {
    writer.assertHeld();
    const attempts = (isFirst ? 0 : opened.attempts) + attempt;
    // The first attempt of a new record is in the log already, with the intent.
    if (attempts > 1) await writer.change([{ id, attempts, sentAt: new Date(now()).toISOString() }]);
  }

  function beforeBytes(attempt: number): void {
    writer.assertHeld();
    started = attempt;
  }

  let outcome: Outcome;
  try {
    const { timeoutMs, signal, inBatch, onRetry } = sending;
    const input = {
      timeoutMs,
      signal,
      inBatch,
      onRetry,
      ifMatch: opened.ifMatch ?? undefined,
      idempotencyKey: headerKeyOf(opened) ?? undefined,
      beforeAttempt,
      beforeBytes,
    };
    const { method, body, class: how } = opened;
    const path = opened.requestTarget ?? opened.path;
    // A request outside the contract has no operation, so its response is not compared with one.
    const operation = findOperation(opened.operation) ?? null;
    const sent = await client.send({ method, path, body, class: how, operation }, input);
    outcome = isFirst ? sent : keepDoubt(sent, doubtOf(opened, sent));
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    if (started === 0) {
      if (isFirst) await writer.change([{ id, state: 'not_sent' }]).catch(() => {});
      throw error;
    }
    outcome = interrupted(error, started);
  }
  let proofResult: ProofResult | null = null;
  if (outcome.kind === 'unknown' && rulesOf(opened.operation).proof !== undefined) {
    const found = await readAgain(sending, opened, await readProof(sending, opened));
    proofResult = found.proofResult;
    outcome = found.applied ?? outcome;
  }
  const settledByReading = proofResult === 'applied';
  const backup = isFirst ? {} : backupBefore(opened, outcome);
  return { ...(await writeOutcome(sending, id, outcome, settledByReading, backup)), proofResult };
}

/**
 * The backup that undoes a change that several commands have sent. The attempt that was applied may be any of them, and only the service
 * knows what it backed up itself before that one. If it does not say, the safety backup from before the first attempt stays in the record:
 * a later one may be a backup of what the change has made.
 */
function backupBefore({ operation }: HistoryRecord, outcome: Outcome): Pick<RecordChange, 'safetyBackupId'> {
  if (outcome.kind !== 'applied') return {};
  const taken = rulesOf(operation).safetyBackupRule?.takenByService(asObject(outcome.body));
  return typeof taken === 'string' ? { safetyBackupId: taken } : {};
}

/**
 * Writes the outcome of a record to its log, with other fields that it sets. `settledByReading`: the outcome is not from a response to
 * the change, but from a read.
 */
export async function writeOutcome(
  { writer, now, inBatch = false }: Pick<Sending, 'writer' | 'now' | 'inBatch'>,
  id: string,
  outcome: Outcome,
  settledByReading: boolean,
  fields: Pick<RecordChange, 'safetyBackupId'> = {},
): Promise<Recorded> {
  let recordingError: HistoryError | null = null;
  try {
    // In a batch nothing waits for this line, so the line is synced together with the next record.
    const change = { id, ...changeOf(outcome, now(), settledByReading), ...fields };
    await writer.change([change], { mayWait: inBatch });
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    recordingError = error;
  }
  const record = recordIn(writer.records, id);
  return { record, outcome, isEarlier: false, recordingError, proofResult: null };
}

/** Why the outcome of a record that was sent again is still unknown: why this attempt failed, or else an earlier one. */
function doubtOf({ failure }: HistoryRecord, sent: Outcome): AttemptFailure {
  const message =
    sent.kind === 'not_sent'
      ? sent.failure.message
      : (failure?.message ?? 'the response to an earlier request was lost');
  return { code: 'connection_lost', message };
}

/** The outcome after attempts were made and the log could not be written any more. */
function interrupted(error: HistoryError, attempts: number): Outcome {
  const failure = { code: 'cancelled', message: error.message } as const;
  const none = { requestId: null, features: [], status: null, problem: null, retryAt: null };
  return { kind: 'unknown', attempts, failure, ...none };
}
