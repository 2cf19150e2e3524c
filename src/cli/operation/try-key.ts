import { showSettings } from '../../contract/operations/settings.ts';
import type { Connection } from '../command/connection.ts';
import type { Session } from '../command/session.ts';
import { outcomeError, type Sent } from './result/outcome-error.ts';

/** A service that does not answer within these milliseconds is most likely a mistyped address. `--timeout` changes the limit. */
const defaultTimeoutMs = 10_000;

type Target = Pick<Connection, 'client' | 'storeId' | 'baseUrl'> & Pick<Sent, 'profile' | 'keyVariable'>;

/**
 * Tries an API key with a read of the settings. A key that may not read them is as valid. Returns whether the response also shows that it
 * is a key for this store: this repository's service looks for the scope of a key after that, another one may not. Throws the user's error
 * for any other failure.
 */
export async function tryKey(
  session: Session,
  { client, storeId, baseUrl, ...sent }: Target,
): Promise<boolean> {
  const { io, flags } = session;
  const outcome = await client.call(showSettings, {
    parameters: { storeId },
    body: null,
    signal: io.signal,
    timeoutMs: flags.timeoutMs ?? defaultTimeoutMs,
  });
  if (outcome.kind === 'applied') return true;
  if (outcome.kind === 'rejected' && outcome.status === 403)
    return outcome.problem.code === 'insufficient_scope';
  throw outcomeError(session, outcome, { ...sent, baseUrl, subject: { object: null, storeId } });
}
