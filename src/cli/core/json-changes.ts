import { isObject } from '../../base/json.ts';
import { getPath } from './field-path.ts';

/** A leaf in which two documents differ: its path and both values, undefined where it is missing. */
export interface Change {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** The leaves in which two documents differ. Lists are compared whole. */
export function changesBetween(before: unknown, after: unknown, path: readonly string[] = []): Change[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      changesBetween(getPath(before, [name]), getPath(after, [name]), [...path, name]),
    );
  }
  return sameJson(before, after) ? [] : [{ path, before, after }];
}

/** Equal as JSON values, whatever the order of fields. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (isObject(a) && isObject(b)) return changesBetween(a, b).length === 0;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  return a === b;
}
