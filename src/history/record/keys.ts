import { asObject } from '../../base/json.ts';
import { makeHeaderKey, makeIdempotencyKey } from '../../client/idempotency-key.ts';
import { findOperation } from '../../contract/operations/operations.ts';
import type { ChangeRequest } from './change-request.ts';
import { type Intent, sentBody } from './history-record.ts';

/*
 * The two kinds of idempotency key. An operation has one of them:
 * - A key in the body, for the operations of class `keyed`. The contract says that every service applies such a key once.
 * - A key in the header `Idempotency-Key`, for every other change of the contract. Only a service that says `keys` in
 *   `Service-Features` applies such a key once (docs/contract.md, section 10).
 * A raw request (`api`) may have neither.
 */

/** Whether the caller gave a key: then the same key is one effect. */
export function hasOwnKey({ body, idempotencyKey }: ChangeRequest): boolean {
  return typeof body?.idempotencyKey === 'string' || idempotencyKey !== undefined;
}

/** The body of a request. An operation of class `keyed` gets a new key where the caller gave none. */
export function bodyWithKey(request: ChangeRequest): ChangeRequest['body'] {
  const { operation, body, idempotencyKey = makeIdempotencyKey() } = request;
  const needsKey = operation.class === 'keyed' && typeof body?.idempotencyKey !== 'string';
  return needsKey ? { ...body, idempotencyKey } : body;
}

/** The key for the header of a request: the caller's, that of the read before the change, or a new one. Null if the header has none. */
export function makeKeyForHeader({ operation, idempotencyKey, keyOfRead }: ChangeRequest): string | null {
  const { class: how = 'read' } = findOperation(operation.id) ?? {};
  if (how === 'read' || how === 'keyed') return null;
  return idempotencyKey ?? keyOfRead ?? makeHeaderKey();
}

/** The key in the body of a record, or null. */
export function bodyKeyOf(intent: Pick<Intent, 'body'>): string | null {
  const { idempotencyKey } = asObject(sentBody(intent));
  return typeof idempotencyKey === 'string' ? idempotencyKey : null;
}

/** The key in the header of a record, or null. */
export function headerKeyOf(intent: Pick<Intent, 'idempotencyKey' | 'body'>): string | null {
  return bodyKeyOf(intent) === null ? intent.idempotencyKey : null;
}

/**
 * The question for `Client.appliesOnce`: whether the service applies the key in the header of this record once. Null if the record has
 * no such key.
 */
export function keyQuestionOf(record: Intent): { kind: string; path: string; key: string } | null {
  const key = headerKeyOf(record);
  const kind = findOperation(record.operation)?.path ?? record.path;
  return key === null ? null : { kind, path: record.requestTarget ?? record.path, key };
}
