import { isObject } from '../../../base/json.ts';
import { makeHeaderKey } from '../../../client/idempotency-key.ts';
import type { Operation } from '../../../contract/operation.ts';
import type { Run } from '../call/run.ts';
import { askForHelp } from './ask-service.ts';

/** A document that was read before a change of it. */
export interface CurrentDocument {
  readonly document: Readonly<Record<string, unknown>>;
  /** The response as text. */
  readonly text: string;
  /** The key that the read had. The change gets the same key. */
  readonly keyOfRead: string;
  /** The `ETag` of the document, for the `If-Match` of the change. Null if the service does not say that it applies the key once. */
  readonly ifMatch: string | null;
}

/**
 * Reads a document before a change of it, in one attempt, with the key that the change will have. Null if the service does not have the
 * read, the API key may not read, or the read fails: then the change goes on without.
 */
export async function tryReadDocument(
  { target, session }: Run,
  operation: Operation,
): Promise<CurrentDocument | null> {
  const keyOfRead = makeHeaderKey();
  const read = await askForHelp(session, target, { operation, idempotencyKey: keyOfRead });
  if (read?.kind !== 'applied' || !isObject(read.body)) return null;
  const ifMatch = read.features.includes('keys') ? read.etag : null;
  return { document: read.body, text: read.text, keyOfRead, ifMatch };
}
