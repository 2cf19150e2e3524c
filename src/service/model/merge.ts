import { isObject } from '../../base/json.ts';

/** Objects are merged, everything else is replaced. Undefined members of the patch change nothing. */
export function merge(base: unknown, patch: unknown): unknown {
  if (patch === undefined) return base;
  if (!isObject(base) || !isObject(patch)) return patch;
  const names = new Set([...Object.keys(base), ...Object.keys(patch)]);
  return Object.fromEntries([...names].map((name) => [name, merge(base[name], patch[name])]));
}

/** A value that differs. */
export interface Difference {
  /** With dots, such as `settings.tax.rateBp`. */
  readonly path: string;
  /** Null if there is none. */
  readonly from: unknown;
  readonly to: unknown;
}

/** The values that differ. Lists are compared as a whole. */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      differences(before[name], after[name], path === '' ? name : `${path}.${name}`),
    );
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path, from: before ?? null, to: after ?? null }];
}

/** Their dotted paths. */
export function pathsOfDifferences(before: unknown, after: unknown): string[] {
  return differences(before, after).map(({ path }) => path);
}

type Nullable<Fields> = {
  [Name in keyof Fields]: null extends Fields[Name] ? Name : never;
}[keyof Fields];

type WithoutNulls<Fields> = Omit<Fields, Nullable<Fields>> & {
  [Name in Nullable<Fields>]?: NonNullable<Fields[Name]>;
};

/** The fields that have a value. Answers leave out what was never set. */
export function withoutNulls<Fields extends object>(fields: Fields): WithoutNulls<Fields> {
  const set = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(set) as unknown as WithoutNulls<Fields>;
}
