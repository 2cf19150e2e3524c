import { isDeepStrictEqual } from 'node:util';
import { asObject, isObject, type JsonObject, leafPaths, valueAt } from '../../base/json.ts';
import { changedPaths, overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import { type HistoryRecord, mayBeApplied, receivedBody, sentBody } from '../record/history-record.ts';

/** A document as the response to a change of single fields showed it last. */
export interface SeenDocument {
  /** ISO 8601; null if it was read right now. */
  readonly seenAt: string | null;
  /** Without what something else may have changed since. */
  readonly document: JsonObject;
  /** The value at a path: null if it was not set, undefined if something else may have changed it since. */
  valueAt(path: readonly string[]): unknown;
}

/** The newest one among these records, which are newest first, or null. No record behind it is looked at. */
export function lastSeen(operation: string, past: Iterable<HistoryRecord>): SeenDocument | null {
  const later: HistoryRecord[] = [];
  for (const record of past) {
    const isShown = record.operation === operation && record.state === 'applied';
    if (isShown && isObject(receivedBody(record))) return documentIn(record, later.flatMap(changedPaths));
    if (mayBeApplied(record)) later.push(record);
  }
  return null;
}

/** What the response to a change shows, but for what may have changed since. */
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

/** A document as the service has just shown it. */
export function shownNow(document: SeenDocument['document']): SeenDocument {
  return { seenAt: null, document, valueAt: (path) => valueAt(document, path) ?? null };
}

/** Whether the values of all these fields are known. */
export function isSeen(seen: SeenDocument | null, fields: unknown): boolean {
  return leafPaths(fields).every((path) => seen?.valueAt(path) !== undefined);
}

/** The values that a change of these fields replaces, as far as they were seen, or null. */
export function replacedValues(seen: SeenDocument | null, fields: unknown): JsonObject | null {
  const replaced = seen && seenValues(seen.valueAt, fields);
  return isObject(replaced) ? replaced : null;
}

function seenValues(seenValue: SeenDocument['valueAt'], fields: unknown): unknown {
  const paths = leafPaths(fields).filter((path) => seenValue(path) !== undefined);
  return paths.reduce<unknown>((document, path) => withValue(document, path, seenValue(path)), undefined);
}

/** Whether this machine knows how to take a change back: where it cannot be, that is said before it is sent. */
export function hasUndo(record: HistoryRecord): boolean {
  const { operation, state, safetyBackupId, replaced } = record;
  const { undo } = rulesOf(operation);
  if (state !== 'applied') return false;
  if (undo !== 'fields')
    return undo !== undefined && (undo === 'backup' ? safetyBackupId : replaced) !== null;
  return leafPaths(sentBody(record)).every((path) => valueAt(replaced, path) !== undefined);
}

/** Whether a change of single fields was applied that has set them to what they were, so that there is nothing to take back. */
export function changedNothing(record: HistoryRecord): boolean {
  const { operation, state, replaced } = record;
  if (rulesOf(operation).undo !== 'fields' || state !== 'applied') return false;
  const sent = sentBody(record);
  return leafPaths(sent).every((path) => isDeepStrictEqual(valueAt(replaced, path), valueAt(sent, path)));
}

/** The document with this value at this path, or without the path if it is undefined; objects on the way are copied or made. */
export function withValue(document: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const object = isObject(document) ? document : {};
  const { [name]: member, ...others } = object;
  const changed = withValue(member, rest, value);
  return changed === undefined ? others : { ...object, [name]: changed };
}
