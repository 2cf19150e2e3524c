import { isObject } from '../../../base/json.ts';
import { makeHeaderKey } from '../../../client/idempotency-key.ts';
import { helpTimeoutMs } from '../../../client/key-answers.ts';
import type { Operation } from '../../../contract/operation.ts';
import { HistoryError } from '../../../history/errors.ts';
import { CliError } from '../../core/errors.ts';
import type { Run } from '../call/run.ts';
import { sendOptions, storeWait } from './send-run.ts';

/** A document as the service has it now, before a change of it. */
export interface CurrentDocument {
  readonly document: Readonly<Record<string, unknown>>;
  /** The change is sent with this key, and with `ifMatch` if the service applies the key once. */
  readonly keyOfRead: string;
  readonly ifMatch: string | null;
}

/**
 * Reads a document before a change of it, with the change's key: one attempt, which only helps. Null where the service cannot be
 * asked, the key has no access, or nothing readable came: then the change goes on without.
 */
export async function readCurrent(run: Run, operation: Operation): Promise<CurrentDocument | null> {
  const { target, session } = run;
  const keyOfRead = makeHeaderKey();
  const { signal, timeoutMs = helpTimeoutMs } = sendOptions(session);
  target.client.pause(await storeWait(session).catch(noWait));
  const read = await target.client.call(operation, {
    parameters: { storeId: target.storeId },
    body: null,
    signal,
    timeoutMs: Math.min(timeoutMs, helpTimeoutMs),
    once: true,
    ownConnection: true,
    idempotencyKey: keyOfRead,
  });
  if (read.kind !== 'applied' || !read.features.includes('reads') || !isObject(read.body)) return null;
  const ifMatch = read.features.includes('keys') ? read.etag : null;
  return { document: read.body, keyOfRead, ifMatch };
}

/** The change itself says what is wrong with the history. */
function noWait(error: unknown): number {
  if (error instanceof HistoryError || error instanceof CliError) return 0;
  throw error;
}
