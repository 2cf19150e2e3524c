import { isObject } from '../../base/json.ts';

/** Objects are merged, everything else is replaced. Undefined members of the patch change nothing. */
export function merge(base: unknown, patch: unknown): unknown {
  if (patch === undefined) return base;
  if (!isObject(base) || !isObject(patch)) return patch;
  const names = new Set([...Object.keys(base), ...Object.keys(patch)]);
  return Object.fromEntries([...names].map((name) => [name, merge(base[name], patch[name])]));
}

/** Dotted paths of the values that differ, such as `settings.tax.rateBp`. */
export function changedPaths(before: unknown, after: unknown, path = ''): string[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      changedPaths(before[name], after[name], path === '' ? name : `${path}.${name}`),
    );
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [path];
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
