import { isObject, leafPaths, parseJson } from '../../base/json.ts';
import { type HistoryRecord, type Intent, mayBeApplied } from '../journal/history-record.ts';
import { overlap, touchesOf } from '../operation-rules.ts';

/**
 * JSON of the values that a change of single fields replaces, as this machine has seen them last, or null if it has seen none.
 * A field that something else may have changed since is left out. `past` are newest first.
 */
export function formerValues(intent: Intent, past: readonly HistoryRecord[]): string | null {
  const seen = past.find(
    (record) =>
      record.operation === intent.operation && record.state === 'applied' && isObject(documentOf(record)),
  );
  if (seen === undefined) return null;
  const later = past.slice(0, past.indexOf(seen)).filter(mayBeApplied);
  const document = documentOf(seen);
  let former: unknown;
  for (const path of leafPaths(parseJson(intent.body))) {
    const single = { ...intent, body: JSON.stringify(withValue(undefined, path, 0)) };
    if (later.some((record) => overlap(touchesOf(record), touchesOf(single)))) continue;
    // A field that is missing was never set.
    former = withValue(former, path, valueAt(document, path) ?? null);
  }
  return former === undefined ? null : JSON.stringify(former);
}

function documentOf({ response }: HistoryRecord): unknown {
  return parseJson(response?.body);
}

/** The value at a path of a JSON document; undefined if it is not there. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** The document with this value at this path, or without the path if it is undefined; objects on the way are copied or made. */
export function withValue(document: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const object = isObject(document) ? document : {};
  const { [name]: member, ...others } = object;
  const changed = withValue(member, rest, value);
  return changed === undefined ? others : { ...object, [name]: changed };
}
