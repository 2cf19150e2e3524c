import { setTimeout as sleep } from 'node:timers/promises';
import { type KeyAnswer, keyAnswerIn } from '../../client/key-answers.ts';
import type { Applied } from '../../client/outcome/outcome.ts';
import { buildPath } from '../../contract/operation.ts';
import type { SendOptions } from '../history.ts';
import { rulesOf } from '../operation-rules.ts';
import type { HistoryRecord } from '../record/history-record.ts';
import { headerKeyOf } from '../record/keys.ts';
import type { ProofResult } from './change-result.ts';

interface ReadOptions extends SendOptions {
  /** The read is one of many requests. */
  readonly inBatch?: boolean | undefined;
}

/** What a read for proof has shown. */
export interface Proved {
  readonly proofResult: ProofResult;
  /** The outcome of the change, if the read shows it. */
  readonly applied: Applied | null;
  /** Whether the service applies the key of the change once. Null if the read was of another path than the change's own. */
  readonly answer: KeyAnswer | null;
}

/**
 * Reads what a change in doubt should have changed. Only a read that shows the change ends the doubt. Any other response, and a read
 * that fails, leave the doubt as it is.
 */
export async function readProof(sending: ReadOptions, record: HistoryRecord): Promise<Proved> {
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
  if (read.kind !== 'applied') return { proofResult: 'unanswered', applied: null, answer };
  const proofResult = proof.judge(record, read.body) ?? 'unanswered';
  if (proofResult !== 'applied') return { proofResult, applied: null, answer };
  const body = proof.result(read.body);
  const applied = { ...read, body, text: JSON.stringify(body), drift: [] };
  return { proofResult, applied, answer };
}

/**
 * Reads for proof a second time, after a pause, if the first read showed the values from before the change and only a read can settle
 * the record: the service may still be working on the request. Otherwise returns the first result.
 */
export async function readAgain(sending: ReadOptions, record: HistoryRecord, found: Proved): Promise<Proved> {
  if (found.proofResult !== 'untouched' || rulesOf(record.operation).resume !== 'read') return found;
  const { settlePauseMs = 2_000, signal } = sending;
  // The same signal ends the pause and the read after it.
  await sleep(settlePauseMs, undefined, signal && { signal }).catch(() => {});
  return readProof(sending, record);
}
