import type { CallInput } from '../../client/client.ts';
import type { SendOptions } from '../history.ts';
import type { HistoryRecord } from '../records/record.ts';

/** How the client sends what a record is about. */
export function callInputOf(
  options: SendOptions,
  record: Pick<HistoryRecord, 'answer'>,
): Pick<CallInput, 'timeoutMs' | 'signal' | 'inBatch' | 'delayMs'> {
  const { timeoutMs, signal, inBatch, history } = options;
  return {
    delayMs: storedDelay(record, history.now()),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(signal !== undefined && { signal }),
    ...(inBatch !== undefined && { inBatch }),
  };
}

/** What is left of the wait that the last answer asked for, in milliseconds. */
function storedDelay({ answer }: Pick<HistoryRecord, 'answer'>, now: number): number {
  if (answer === null || answer.retryAt === null) return 0;
  // Never longer than the service asked for, even if this machine's clock was set back since.
  const asked = answer.retryAt - Date.parse(answer.receivedAt);
  return Math.max(0, Math.min(answer.retryAt - now, asked));
}
