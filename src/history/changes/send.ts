import { setTimeout as sleep } from 'node:timers/promises';
import { type KeyAnswer, keyAnswerIn } from '../../client/key-answers.ts';
import { keepDoubt } from '../../client/outcome/doubt.ts';
import type { Applied, AttemptFailure, Outcome } from '../../client/outcome/outcome.ts';
import { buildPath } from '../../contract/operation.ts';
import { findOperation } from '../../contract/operations/operations.ts';
import type { ProofResult, Recorded, SendOptions } from '../history.ts';
import { type LogWriter, recordIn } from '../journal/log-writer.ts';
import { rulesOf } from '../operation-rules.ts';
import { HistoryError } from '../record/errors.ts';
import type { HistoryRecord } from '../record/history-record.ts';
import { headerKeyOf } from '../record/intent.ts';
import { changeOf } from '../record/recorded-outcome.ts';

/** Where a record is sent from. */
export interface Sending extends SendOptions {
  readonly writer: LogWriter;
  /** Epoch milliseconds. */
  now(): number;
  /** One of many requests. */
  readonly inBatch?: boolean | undefined;
  readonly onRetry?: (() => void) | undefined;
}

/**
 * Sends the stored bytes of a record, whose log this process holds, and writes its outcome. `isFirst`: no byte of it has left
 * this machine yet. An unknown outcome that a read can settle is settled.
 *
 * Throws a HistoryError only if it is certain that nothing was sent by this call. An outcome that cannot be written (a full
 * disk) leaves the record open, which is true.
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
    // The first attempt of a new record was written with its request.
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
    // Nothing is known about a request outside the contract, so its response cannot differ from it.
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
  return { ...(await writeOutcome(sending, id, outcome, proofResult === 'applied')), proofResult };
}

/** Writes an outcome that this run has found out. */
export async function writeOutcome(
  { writer, now, inBatch = false }: Pick<Sending, 'writer' | 'now' | 'inBatch'>,
  id: string,
  outcome: Outcome,
  settledByReading: boolean,
): Promise<Recorded> {
  let recordingError: HistoryError | null = null;
  try {
    // In a batch nothing waits for this outcome, so it is synced together with the next request.
    await writer.change([{ id, ...changeOf(outcome, now(), settledByReading) }], { mayWait: inBatch });
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    recordingError = error;
  }
  const record = recordIn(writer.records, id);
  return { record, outcome, isEarlier: false, recordingError, proofResult: null };
}

/** Why the outcome is unknown; where sending it again failed now, why that failed. */
function doubtOf({ failure }: HistoryRecord, sent: Outcome): AttemptFailure {
  const message =
    sent.kind === 'not_sent'
      ? sent.failure.message
      : (failure?.message ?? 'the response to an earlier request was lost');
  return { code: 'connection_lost', message };
}

/** Attempts were made, and then the log could not be written any more. */
function interrupted(error: HistoryError, attempts: number): Outcome {
  const failure = { code: 'cancelled', message: error.message } as const;
  const none = { requestId: null, features: [], status: null, problem: null, retryAt: null };
  return { kind: 'unknown', attempts, failure, ...none };
}

/** What a read has shown, and what it said about keys if it was of the change's own path. */
export interface Proved {
  readonly proofResult: ProofResult;
  readonly applied: Applied | null;
  readonly answer: KeyAnswer | null;
}

/**
 * Reads what the change should have changed. Only a read that shows the change ends the doubt: anything else, a failed read
 * included, leaves it.
 */
export async function readProof(sending: Omit<Sending, 'writer'>, record: HistoryRecord): Promise<Proved> {
  const { proof } = rulesOf(record.operation);
  if (proof === undefined) return { proofResult: 'unanswered', applied: null, answer: null };
  const { timeoutMs, signal, inBatch } = sending;
  const path = buildPath(proof.operation, { storeId: record.storeId, ...record.parameters });
  const request = { method: 'GET', path, body: null, class: 'read' } as const;
  const key = path === (record.requestTarget ?? record.path) ? headerKeyOf(record) : null;
  const read = await sending.client.send(
    { ...request, operation: proof.operation },
    { timeoutMs, signal, inBatch, ownConnection: true, idempotencyKey: key ?? undefined },
  );
  const answer = key === null ? null : keyAnswerIn(read);
  const verdict = read.kind === 'applied' ? proof.judge(record, read.body) : null;
  if (verdict !== 'applied' || read.kind !== 'applied')
    return { proofResult: verdict ?? 'unanswered', applied: null, answer };
  const body = proof.result(read.body);
  const applied = { ...read, body, text: JSON.stringify(body), drift: [] };
  return { proofResult: 'applied', applied, answer };
}

/**
 * As {@link readProof}, after a read that found this: where nothing was touched and only reads can tell, once more after a pause,
 * because the request may still be in progress.
 */
export async function readAgain(
  sending: Omit<Sending, 'writer'>,
  record: HistoryRecord,
  found: Proved,
): Promise<Proved> {
  if (found.proofResult !== 'untouched' || rulesOf(record.operation).resume !== 'read') return found;
  const { settlePauseMs = 2_000, signal } = sending;
  // The read that follows ends by the same signal.
  await sleep(settlePauseMs, undefined, signal && { signal }).catch(() => {});
  return readProof(sending, record);
}
