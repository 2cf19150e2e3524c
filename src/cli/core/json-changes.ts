import { isDeepStrictEqual } from 'node:util';
import { isObject, valueAt } from '../../base/json.ts';

/** A leaf in which two documents differ: its path and both values, undefined where it is missing. */
export interface FieldChange {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** The leaves in which two documents differ. Lists are compared whole. */
export function changesBetween(before: unknown, after: unknown, path: readonly string[] = []): FieldChange[] {
  if (isObject(before) && isObject(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      changesBetween(valueAt(before, [name]), valueAt(after, [name]), [...path, name]),
    );
  }
  return isDeepStrictEqual(before, after) ? [] : [{ path, before, after }];
}
