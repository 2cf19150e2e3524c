import type { CallInput, Client } from '../client/client.ts';
import type { History } from './journal.ts';

/** How to send, for every function that does. */
export interface SendOptions {
  readonly history: History;
  readonly client: Client;
  /** These three as in the client's CallInput. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly retryRateLimited?: boolean | undefined;
  /** As in the client's CallInput. */
  readonly followsClosely?: boolean | undefined;
  /** Between two looks at something that may still be changing, in milliseconds; 2 s where not given. */
  readonly settlePauseMs?: number | undefined;
}

/** The options that go on to the client. */
export function inputOf(
  options: SendOptions,
): Pick<CallInput, 'timeoutMs' | 'signal' | 'retryRateLimited' | 'followsClosely'> {
  const { timeoutMs, signal, retryRateLimited, followsClosely } = options;
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(signal !== undefined && { signal }),
    ...(retryRateLimited !== undefined && { retryRateLimited }),
    ...(followsClosely !== undefined && { followsClosely }),
  };
}
