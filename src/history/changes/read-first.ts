import { isDeepStrictEqual } from 'node:util';
import { isObject, leafPaths, valueAt } from '../../base/json.ts';
import { makeHeaderKey } from '../../client/idempotency-key.ts';
import { helpTimeoutMs } from '../../client/key-answers.ts';
import type { History } from '../history.ts';
import { rulesOf } from '../operation-rules.ts';
import type { ChangeRequest } from '../record/change-request.ts';
import { type RecordOptions, recordChange } from './change.ts';
import type { FailedSafetyBackup, RecordedChange } from './change-result.ts';
import { replacedValues, shownNow } from './replaced-values.ts';

/** How often a change is sent while others change other fields of the same document. */
const maxSent = 3;

/** A document as it was read before a change of it. */
interface Current {
  readonly document: Readonly<Record<string, unknown>>;
  /** What goes with the change. */
  readonly known: Required<Pick<ChangeRequest, 'keyOfRead' | 'ifMatch' | 'replaced'>>;
}

/**
 * As {@link recordChange}, for a caller that has not read the document that the change sets parts of. It is read first, so that
 * the change can be undone, and is sent with `If-Match` where the service applies its key once: then `resume` overwrites nothing
 * that somebody else has set since. If others have changed other fields in between, it is sent anew.
 */
export async function readAndChange(
  history: History,
  request: ChangeRequest,
  options: RecordOptions,
): Promise<RecordedChange | FailedSafetyBackup> {
  let current = await readCurrent(history, request, options);
  for (let sent = 1; ; sent += 1) {
    const changed = await recordChange(history, { ...request, ...current?.known }, options);
    if (current === null || !isMoved(changed) || sent === maxSent) return changed;
    const now = await readCurrent(history, request, options);
    if (now === null || isChangedBetween(current.document, now.document, request)) return changed;
    current = now;
  }
}

/** Null where there is nothing to read, the caller knows what it replaces, or the read fails: it only helps. */
async function readCurrent(
  history: History,
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

/** Refused, because the document is no longer as it was read. */
function isMoved(changed: RecordedChange | FailedSafetyBackup): boolean {
  return changed.kind === 'change' && changed.outcome.kind === 'rejected' && changed.outcome.status === 412;
}

/** Whether one of the fields of the request has another value now, and not the one that it sets. */
function isChangedBetween(before: unknown, now: unknown, { body }: ChangeRequest): boolean {
  const isSame = (one: unknown, other: unknown) => isDeepStrictEqual(one ?? null, other ?? null);
  return leafPaths(body).some((path) => {
    const found = valueAt(now, path);
    return !isSame(found, valueAt(before, path)) && !isSame(found, valueAt(body, path));
  });
}
