import type { Session } from '../../cli/command/session.ts';
import { CliError } from '../../cli/core/errors.ts';
import { outcomeError } from '../../cli/operation/result/outcome-error.ts';
import { showSettings } from '../../contract/operations/settings.ts';
import { type Finding, ok, problemOf } from './finding.ts';

/** Checks address and key with one read-only request. */
export async function checkAccess(session: Session, timeoutMs: number): Promise<Finding> {
  try {
    const { client, profile, storeId, baseUrl } = await session.connect();
    const outcome = await client.call(showSettings, {
      parameters: { storeId },
      body: null,
      signal: session.io.signal,
      timeoutMs,
    });
    if (outcome.kind === 'applied') return ok('access', `the key works for store ${storeId}`);
    if (outcome.kind === 'rejected' && outcome.status === 403)
      return ok('access', 'the key works, but lacks the scope settings:read');
    const subject = { object: null, storeId };
    return problemOf('access', outcomeError(session, outcome, { profile, baseUrl, subject }));
  } catch (error) {
    if (error instanceof CliError) return problemOf('access', error);
    throw error;
  }
}
