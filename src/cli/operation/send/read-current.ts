import { isObject } from '../../../base/json.ts';
import { makeHeaderKey } from '../../../client/idempotency-key.ts';
import type { Operation } from '../../../contract/operation.ts';
import type { Run } from '../call/run.ts';
import { askForHelp } from './ask-service.ts';

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
export async function readCurrent(
  { target, session }: Run,
  operation: Operation,
): Promise<CurrentDocument | null> {
  const keyOfRead = makeHeaderKey();
  const read = await askForHelp(session, target, { operation, idempotencyKey: keyOfRead });
  if (read?.kind !== 'applied' || !isObject(read.body)) return null;
  const ifMatch = read.features.includes('keys') ? read.etag : null;
  return { document: read.body, keyOfRead, ifMatch };
}
