import { isDeepStrictEqual } from 'node:util';
/** What JSON calls an object, not to be changed. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value of JSON text, or undefined if there is no text or it is not JSON. */
export function parseJson(text: string | null | undefined): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of JSON text, or the text itself if it is not JSON. */
export function jsonOrText(text: string | null): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** True for what JSON calls an object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one. */
export function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** The leaves of a JSON object as paths. Lists and empty objects are leaves. */
export function leafPaths(value: unknown, parent: readonly string[] = []): (readonly string[])[] {
  if (!isObject(value) || Object.keys(value).length === 0) return parent.length === 0 ? [] : [parent];
  return Object.entries(value).flatMap(([name, inner]) => leafPaths(inner, [...parent, name]));
}

/** The value at a path of a JSON document, whose steps are names, or places in a list. Undefined if it is not there. */
export function valueAt(document: unknown, path: readonly PropertyKey[]): unknown {
  let value = document;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** The text at a path, or null for anything else. */
export function textAt(document: unknown, path: readonly string[]): string | null {
  const found = valueAt(document, path);
  return typeof found === 'string' ? found : null;
}

/** JSON with the members of objects sorted, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** Not as a replacer function of JSON.stringify, which is slower. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** Whether two values are the same; one that is missing is the same as null. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one ?? null, other ?? null);
}
