import { isDeepStrictEqual } from 'node:util';
import { asObject, isObject, isSameValue, type JsonObject, leafPaths, valueAt } from '../../base/json.ts';
import type { Outcome, Rejected } from '../../client/outcome/outcome.ts';
import { changedPaths, overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import type { ChangeRequest } from '../record/change-request.ts';
import { type HistoryRecord, mayBeApplied, receivedBody, sentBody } from '../record/history-record.ts';

/** A document as a response has shown it. */
export interface SeenDocument {
  /** When the response was received, in ISO 8601. Null if the document was read by this command. */
  readonly seenAt: string | null;
  /** The document without the values that a later change may have replaced. */
  readonly document: JsonObject;
  /** The value at a path. Null if the field was not set, undefined if a later change may have replaced the value. */
  valueAt(path: readonly string[]): unknown;
}

/**
 * The document in the newest response to a change of this operation, or null. `past` is newest first, and is read no further than
 * that response.
 */
export function lastSeen(operation: string, past: Iterable<HistoryRecord>): SeenDocument | null {
  const later: HistoryRecord[] = [];
  for (const record of past) {
    const isShown = record.operation === operation && record.state === 'applied';
    if (isShown && isObject(receivedBody(record))) return documentIn(record, later.flatMap(changedPaths));
    if (mayBeApplied(record)) later.push(record);
  }
  return null;
}

/** The document in the response to a change. `later` are the paths that later changes may have set. */
function documentIn(record: HistoryRecord, later: readonly string[]): SeenDocument {
  const seen = receivedBody(record);
  const seenValue = (path: readonly string[]) => {
    const single = writtenPaths({ ...record, body: JSON.stringify(withValue(undefined, path, 0)) });
    return overlap(later, single) ? undefined : (valueAt(seen, path) ?? null);
  };
  return {
    seenAt: record.response?.receivedAt || record.updatedAt,
    document: asObject(seenValues(seenValue, seen)),
    valueAt: seenValue,
  };
}

/** A document that this command has just read. */
export function shownNow(document: SeenDocument['document']): SeenDocument {
  return { seenAt: null, document, valueAt: (path) => valueAt(document, path) ?? null };
}

/** Whether this machine has seen the values of all these fields. */
export function isSeen(seen: SeenDocument | null, fields: unknown): boolean {
  return leafPaths(fields).every((path) => seen?.valueAt(path) !== undefined);
}

/** The values that a change of these fields replaces, as far as this machine has seen them. Null if it has seen none. */
export function replacedValues(seen: SeenDocument | null, fields: unknown): JsonObject | null {
  const replaced = seen && seenValues(seen.valueAt, fields);
  return isObject(replaced) ? replaced : null;
}

function seenValues(seenValue: SeenDocument['valueAt'], fields: unknown): unknown {
  const paths = leafPaths(fields).filter((path) => seenValue(path) !== undefined);
  return paths.reduce<unknown>((document, path) => withValue(document, path, seenValue(path)), undefined);
}

/** Whether this machine can undo a change: the change was applied, and the replaced values or the safety backup are known. */
export function hasUndo(record: HistoryRecord): boolean {
  const { operation, state, safetyBackupId, replaced } = record;
  const { undo } = rulesOf(operation);
  if (state !== 'applied') return false;
  if (undo !== 'fields')
    return undo !== undefined && (undo === 'backup' ? safetyBackupId : replaced) !== null;
  return leafPaths(sentBody(record)).every((path) => valueAt(replaced, path) !== undefined);
}

/** Whether a change of single fields was applied that set each field to the value that it had, so that there is nothing to undo. */
export function changedNothing(record: HistoryRecord): boolean {
  const { operation, state, replaced } = record;
  if (rulesOf(operation).undo !== 'fields' || state !== 'applied') return false;
  const sent = sentBody(record);
  return leafPaths(sent).every((path) => isDeepStrictEqual(valueAt(replaced, path), valueAt(sent, path)));
}

/** A copy of the document with the value at the path, or without the path if `value` is undefined. Missing objects are made. */
export function withValue(document: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const object = isObject(document) ? document : {};
  const { [name]: member, ...others } = object;
  const changed = withValue(member, rest, value);
  return changed === undefined ? others : { ...object, [name]: changed };
}

/** How often a change is sent while others change other fields of the same document. */
export const maxSent = 3;

/** Whether a change was refused because the document has changed since the read whose ETag the change had. */
export function isMoved(outcome: Outcome): outcome is Rejected {
  return outcome.kind === 'rejected' && outcome.status === 412;
}

/** The fields of the request that others have changed between two reads, to another value than the request sets. */
export function changedBetween(
  before: unknown,
  now: unknown,
  { body }: Pick<ChangeRequest, 'body'>,
): (readonly string[])[] {
  return leafPaths(body).filter((path) => {
    const found = valueAt(now, path);
    return !isSameValue(found, valueAt(before, path)) && !isSameValue(found, valueAt(body, path));
  });
}
