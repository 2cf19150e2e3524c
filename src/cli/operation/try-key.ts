import { showSettings } from '../../contract/operations/settings.ts';
import type { Connection } from '../command/connection.ts';
import type { Session } from '../command/session.ts';
import { outcomeError, type Sent } from './result/outcome-error.ts';

/** An address that does not answer in this time is most likely mistyped. In milliseconds; --timeout changes it. */
const defaultTimeoutMs = 10_000;

type Target = Pick<Connection, 'client' | 'storeId' | 'baseUrl'> & Pick<Sent, 'profile' | 'keyVariable'>;

/**
 * Tries a key with a read. Returns whether it may read the settings: a key without that scope is valid, too, but shows
 * nothing about the store. Throws any other response as the user's error.
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
  if (outcome.kind === 'rejected' && outcome.status === 403) return false;
  throw outcomeError(session, outcome, { ...sent, baseUrl, subject: { object: null, storeId } });
}
