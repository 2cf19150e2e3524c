import { isObject } from '../../base/json.ts';
import { makeHeaderKey } from '../../client/idempotency-key.ts';
import { helpTimeoutMs } from '../../client/key-answers.ts';
import type { StoreHistory } from '../history.ts';
import { rulesOf } from '../operation-rules.ts';
import type { ChangeRequest } from '../record/change-request.ts';
import { type RecordOptions, recordChange } from './change.ts';
import type { FailedSafetyBackup, RecordedChange } from './change-result.ts';
import { changedBetween, isMoved, maxSent, replacedValues, shownNow } from './replaced-values.ts';

/** A document that was read before a change of it. */
interface Current {
  readonly document: Readonly<Record<string, unknown>>;
  /** The fields that the read adds to the request. */
  readonly known: Required<Pick<ChangeRequest, 'keyOfRead' | 'ifMatch' | 'replaced'>>;
}

/**
 * As {@link recordChange}, for a caller that has not read the document that the change sets parts of, such as `api` and the library.
 * The document is read first, so that the change can be undone. If the service applies the key of the change once, the change has
 * `If-Match`, so that a resume overwrites nothing that others have set since. If the change is refused because others have changed
 * other fields since the read, a new change is sent.
 */
export async function readAndChange(
  history: StoreHistory,
  request: ChangeRequest,
  options: RecordOptions,
): Promise<RecordedChange | FailedSafetyBackup> {
  let current = await readReplaced(history, request, options);
  for (let sent = 1; ; sent += 1) {
    const changed = await recordChange(history, { ...request, ...current?.known }, options);
    if (current === null || changed.kind !== 'change' || !isMoved(changed.outcome) || sent === maxSent)
      return changed;
    const now = await readReplaced(history, request, options);
    if (now === null || changedBetween(current.document, now.document, request).length > 0) return changed;
    current = now;
  }
}

/** Null if the operation has no such document, if the caller gave a key or an ETag, or if the read fails: the change goes on without. */
async function readReplaced(
  history: StoreHistory,
  request: ChangeRequest,
  { client, timeoutMs = helpTimeoutMs, signal }: RecordOptions,
): Promise<Current | null> {
  const { operation, body, ifMatch, idempotencyKey, keyOfRead } = request;
  const { shownBy, undo } = rulesOf(operation.id);
  if (shownBy === undefined || (ifMatch ?? idempotencyKey ?? keyOfRead) !== undefined) return null;
  client.pause(history.storeWait());
  const key = makeHeaderKey();
  const read = await client.call(shownBy, {
    parameters: { storeId: history.journal.store.storeId },
    body: null,
    idempotencyKey: key,
    once: true,
    ownConnection: true,
    timeoutMs: Math.min(timeoutMs, helpTimeoutMs),
    signal,
  });
  if (read.kind !== 'applied' || !isObject(read.body)) return null;
  const { body: document, features, etag } = read;
  const replaced = undo === 'document' ? document : replacedValues(shownNow(document), body);
  return {
    document,
    known: { keyOfRead: key, ifMatch: features.includes('keys') ? etag : null, replaced },
  };
}
