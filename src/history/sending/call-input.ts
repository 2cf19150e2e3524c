import type { CallInput } from '../../client/client.ts';
import type { SendOptions } from '../history.ts';
import type { HistoryRecord } from '../records/record.ts';
import { remainingWait } from '../records/recorded-outcome.ts';

/** How the client sends what a record is about. */
export function callInputOf(
  options: SendOptions,
  record: Pick<HistoryRecord, 'answer'>,
): Pick<CallInput, 'timeoutMs' | 'signal' | 'inBatch' | 'delayMs'> {
  const { timeoutMs, signal, inBatch, history } = options;
  return { timeoutMs, signal, inBatch, delayMs: remainingWait(record, history.now()) };
}
