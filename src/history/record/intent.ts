import { asObject, canonicalJson, isObject, type JsonObject } from '../../base/json.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Client } from '../../client/client.ts';
import { makeHeaderKey } from '../../client/idempotency-key.ts';
import { buildPath, canonicalId, canonicalPath, type Operation } from '../../contract/operation.ts';
import { findOperation } from '../../contract/operations/operations.ts';
import { HistoryError } from './errors.ts';
import { type HistoryRecord, type Intent, isInDoubt, sentBody } from './history-record.ts';

/** A change that is asked for, before it is recorded. */
export interface ChangeRequest {
  readonly operation: Operation;
  /** Path parameters other than `storeId`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body: JsonObject | null;
  /** JSON text to send as it is, instead of what `body` would become; `body` is then the object that it parses to. */
  readonly bodyText?: string | undefined;
  readonly ifMatch?: string | null | undefined;
  /** The caller's own key for the header: the same key is one effect. */
  readonly idempotencyKey?: string | undefined;
  /** The key that a read before the change was sent with, so that what it said about keys is about this change. */
  readonly keyOfRead?: string | undefined;
  /** The document that it replaces, where the caller has read it. */
  readonly replaced?: JsonObject | null | undefined;
  /** Id of a backup that was made before it, where it cannot be undone otherwise. */
  readonly safetyBackupId?: string | undefined;
  /** Id of the record that it takes back. */
  readonly undoes?: string | null | undefined;
  /** Of an undo: ids of the later changes that the user has seen. It is refused if there are others by now. */
  readonly seenLater?: readonly string[] | undefined;
  /** When the caller read what it is about, in epoch milliseconds: refused if that has changed since. */
  readonly readAt?: number | undefined;
  /** Send it although the same was sent before. */
  readonly allowDuplicate?: boolean | undefined;
  /** Do not continue an open record of the same command. */
  readonly fresh?: boolean | undefined;
}

/** The request as it is recorded and sent. `body` is that of the request, with its key. */
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
    idempotencyKey: keyOf({ body: text }) ?? headerKeyFor(request),
    replaced: replaced ?? null,
    safetyBackupId: safetyBackupId ?? null,
    undoes: undoes ?? null,
    safetyBackupFor: null,
  };
}

/** A record has the store's id in another field. */
function ownParameters({ storeId: _, ...own }: Readonly<Record<string, string>>): Intent['parameters'] {
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [name, canonicalId(value)]));
}

/** Every operation of the contract that changes something has a key in its header, but for those with one in the body. */
function headerKeyFor({ operation, idempotencyKey, keyOfRead }: ChangeRequest): string | null {
  const { class: how = 'read' } = findOperation(operation.id) ?? {};
  if (how === 'read' || how === 'keyed') return null;
  return idempotencyKey ?? keyOfRead ?? makeHeaderKey();
}

/** The key that a record was sent with in the header `Idempotency-Key`, or null. */
export function headerKeyOf(intent: Pick<Intent, 'idempotencyKey' | 'body'>): string | null {
  return keyOf(intent) === null ? intent.idempotencyKey : null;
}

/** What the client needs to ask whether the service applies a record once by the key in its header, or null without one. */
export function changeWithKey(record: Intent): { kind: string; path: string; key: string } | null {
  const key = headerKeyOf(record);
  const kind = findOperation(record.operation)?.path ?? record.path;
  return key === null ? null : { kind, path: record.requestTarget ?? record.path, key };
}

/** A record whose request was lost stands for every command of its operation, until it is marked. */
export function isSameCommand(record: HistoryRecord, intent: Intent, by: 'path' | 'fingerprint'): boolean {
  if (record.operation !== intent.operation) return false;
  return record.requestLost ? isInDoubt(record) : record[by] === intent[by];
}

/** Throws a HistoryError `secret_in_record` when a request contains the API key, which is never written down. */
export function refuseSecret(
  { path, requestTarget, body, ifMatch, idempotencyKey, replaced }: Intent,
  { redact }: Pick<Client, 'redact'>,
): void {
  const text = [path, requestTarget, body, ifMatch, idempotencyKey, JSON.stringify(replaced)].join('\n');
  if (redact(text) !== text) throw new HistoryError('secret_in_record', 'the request contains the API key');
}

/**
 * SHA-256 (hex) that two commands of one store share when they ask for the same: same operation, path and body, whatever
 * the order of the body's fields and whatever its idempotency key.
 */
export function fingerprint(intent: Pick<Intent, 'operation' | 'path' | 'body'>): string {
  const { operation, path } = intent;
  const value = sentBody(intent);
  return sha256(canonicalJson([operation, path, isObject(value) ? withoutKey(value) : value]));
}

/** The idempotency key in a request body, or null. */
export function keyOf(intent: Pick<Intent, 'body'>): string | null {
  const { idempotencyKey } = asObject(sentBody(intent));
  return typeof idempotencyKey === 'string' ? idempotencyKey : null;
}

function withoutKey({ idempotencyKey: _, ...body }: Record<string, unknown>): Record<string, unknown> {
  return body;
}
