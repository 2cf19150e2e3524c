import type { CallInput } from '../../client/client.ts';
import type { SendOptions } from '../history.ts';

/** The options that go on to the client. */
export function callInputOf(
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
