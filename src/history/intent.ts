import { buildPath, type Operation } from '../contract/operation.ts';
import { fingerprint, keyOf } from './fingerprint.ts';
import { type HistoryRecord, type Intent, isInDoubt } from './journal/history-record.ts';

/** A change that is asked for, before it is recorded. */
export interface ChangeRequest {
  readonly operation: Operation;
  /** Path parameters other than `storeId`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | null;
  /** JSON text to send as it is, instead of what `body` would become; `body` is then the object that it parses to. */
  readonly bodyText?: string | undefined;
  readonly ifMatch?: string | null | undefined;
  /** JSON of the document that it replaces, where the caller has read it. */
  readonly former?: string | null | undefined;
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
  const { operation, parameters, bodyText, ifMatch, former, undoes } = request;
  const text = bodyText ?? (body && JSON.stringify(body));
  const path = buildPath(operation, { ...parameters, storeId });
  return {
    operation: operation.id,
    class: operation.class,
    method: operation.method,
    path,
    ifMatch: ifMatch ?? null,
    body: text,
    fingerprint: fingerprint({ operation: operation.id, path, body: text }),
    idempotencyKey: keyOf(text),
    former: former ?? null,
    safetyBackupId: null,
    undoes: undoes ?? null,
    prepares: null,
  };
}

/** A record whose request was lost stands for every command of its operation, until it is marked. */
export function isSameCommand(record: HistoryRecord, intent: Intent, by: 'path' | 'fingerprint'): boolean {
  if (record.operation !== intent.operation) return false;
  return record.unreadable ? isInDoubt(record) : record[by] === intent[by];
}
