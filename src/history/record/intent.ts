import { canonicalJson, isObject } from '../../base/json.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Client } from '../../client/client-types.ts';
import { buildPath, canonicalId, canonicalPath } from '../../contract/operation.ts';
import type { ChangeRequest } from './change-request.ts';
import { HistoryError } from './errors.ts';
import { type HistoryRecord, type Intent, isInDoubt, sentBody } from './history-record.ts';
import { bodyKeyOf, makeKeyForHeader } from './keys.ts';

/** The intent of a request. `body` is the body with its key. Throws a RangeError for an invalid path parameter. */
export function intentOf(
  request: ChangeRequest,
  storeId: string,
  body: ChangeRequest['body'] = request.body,
): Intent {
  const { operation, parameters = {}, bodyText, ifMatch, replaced, safetyBackupId, undoes } = request;
  const text = bodyText ?? (body && JSON.stringify(body));
  const requestTarget = buildPath(operation, { ...parameters, storeId });
  const path = canonicalPath(requestTarget);
  return {
    operation: operation.id,
    class: operation.class,
    method: operation.method,
    parameters: ownParameters(parameters),
    path,
    requestTarget: requestTarget === path ? null : requestTarget,
    ifMatch: ifMatch ?? null,
    body: text,
    fingerprint: fingerprint({ operation: operation.id, path, body: text }),
    idempotencyKey: bodyKeyOf({ body: text }) ?? makeKeyForHeader(request),
    replaced: replaced ?? null,
    safetyBackupId: safetyBackupId ?? null,
    undoes: undoes ?? null,
    safetyBackupFor: null,
  };
}

/** The path parameters without the store's id, which a record has in another field. */
function ownParameters({ storeId: _, ...own }: Readonly<Record<string, string>>): Intent['parameters'] {
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [name, canonicalId(value)]));
}

/**
 * Whether a record is of the same command as the intent. A record whose request was lost stands for every command of its operation,
 * until a user has marked it.
 */
export function isSameCommand(record: HistoryRecord, intent: Intent, by: 'path' | 'fingerprint'): boolean {
  if (record.operation !== intent.operation) return false;
  return record.requestLost ? isInDoubt(record) : record[by] === intent[by];
}

/** Throws a HistoryError `secret_in_record` if the request contains the API key: the key is never written to a log. */
export function refuseSecret(
  { path, requestTarget, body, ifMatch, idempotencyKey, replaced }: Intent,
  { redact }: Pick<Client, 'redact'>,
): void {
  const text = [path, requestTarget, body, ifMatch, idempotencyKey, JSON.stringify(replaced)].join('\n');
  if (redact(text) !== text) throw new HistoryError('secret_in_record', 'the request contains the API key');
}

/**
 * SHA-256 (hex) of operation, path and body. Two commands of one store that ask for the same have the same fingerprint: the order of the
 * fields and the idempotency key do not count.
 */
export function fingerprint(intent: Pick<Intent, 'operation' | 'path' | 'body'>): string {
  const { operation, path } = intent;
  const value = sentBody(intent);
  return sha256(canonicalJson([operation, path, isObject(value) ? withoutKey(value) : value]));
}

function withoutKey({ idempotencyKey: _, ...body }: Record<string, unknown>): Record<string, unknown> {
  return body;
}
