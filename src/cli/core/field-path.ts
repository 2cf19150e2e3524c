import { isObject, valueAt } from '../../base/json.ts';
import { invalidInput } from './errors.ts';
import { maxNestingDepth } from './json-text.ts';

/** Names that reach the prototype of every object instead of a field. */
const unsafeNames = new Set(['__proto__', 'constructor', 'prototype']);

/** Splits `templates.order\.paid.title` at its dots; `\.` is a dot in a name. Throws a usage error on an empty name. */
export function parsePath(text: string): string[] {
  const names = (text.match(/(?:\\.|[^.\\])+|(?<=\.|^)(?=\.|$)/gs) ?? ['']).map((name) =>
    name.replace(/\\(.)/gs, '$1'),
  );
  if (names.length > maxNestingDepth) {
    throw invalidInput(`the field path has more than ${maxNestingDepth} levels`, 'use a shorter path');
  }
  const invalid = names.find((name) => name === '' || unsafeNames.has(name));
  if (invalid !== undefined) {
    throw invalidInput(
      invalid === ''
        ? `the path "${text}" has an empty name`
        : `the path "${text}" must not contain "${invalid}"`,
      'separate field names with dots, for example settings.brandColor',
    );
  }
  return names;
}

/** The names as {@link parsePath} reads them. */
export function dottedPath(names: readonly string[]): string {
  return names.map((name) => name.replaceAll(/[\\.]/g, '\\$&')).join('.');
}

/** Sets a value and creates the objects on its path. A value on the path that is not an object is replaced. */
export function setPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    define(target, name, value);
    return;
  }
  const inner = Object.hasOwn(target, name) ? target[name] : undefined;
  const next = isObject(inner) ? inner : {};
  define(target, name, next);
  setPath(next, rest, value);
}

/** Removes a value, and the objects on its path that become empty. */
export function removePath(target: Record<string, unknown>, path: readonly string[]): void {
  const [name = '', ...rest] = path;
  const inner = Object.hasOwn(target, name) ? target[name] : undefined;
  if (rest.length > 0 && isObject(inner)) removePath(inner, rest);
  if (rest.length === 0 || (isObject(inner) && Object.keys(inner).length === 0)) delete target[name];
}

/** The value that `--fields` means by a path. Where it meets a list, it is a list with the value of each item. */
export function selectAt(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => selectAt(item, path));
  return selectAt(valueAt(value, [name]), rest);
}

/** Merges objects deeply; other values replace. Returns a new object and changes neither input. */
export function mergeObjects(
  base: Record<string, unknown>,
  changes: Record<string, unknown>,
): Record<string, unknown> {
  const result = { ...base };
  for (const [name, change] of Object.entries(changes)) {
    const before = Object.hasOwn(base, name) ? base[name] : undefined;
    define(result, name, isObject(change) ? mergeObjects(isObject(before) ? before : {}, change) : change);
  }
  return result;
}

/** Plain assignment to `__proto__` would change the prototype instead of setting a field. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
