import { editDistance } from '../../contract/edit-distance.ts';
import { usageError } from '../core/errors.ts';
import { isObject } from '../core/json-value.ts';
import { printable } from '../core/sanitize.ts';

/** Field names are listed down to this depth of an answer. */
const maxDepth = 5;

/** Dotted, printable names of the fields of an answer, outer ones first. Includes the fields of list items. */
export function namesIn(value: unknown, prefix = '', depth = 1): string[] {
  if (depth > maxDepth) return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => namesIn(item, prefix, depth + 1)))];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix + printable(name.replaceAll(/[\\.]/g, '\\$&'));
    return [path, ...namesIn(inner, `${path}.`, depth + 1)];
  });
}

/** Sorts the names by similarity to `wanted`. The same last name in another object counts as very similar. */
export function nearestFirst(names: readonly string[], wanted: string): string[] {
  const last = (name: string) => name.split('.').at(-1) ?? name;
  const distance = (name: string) =>
    Math.min(distanceIgnoringCase(name, wanted), distanceIgnoringCase(last(name), last(wanted)) + 0.5);
  return [...new Set(names)].sort(
    (one, other) => distance(one) - distance(other) || one.localeCompare(other, 'en'),
  );
}

/** The name that was probably meant, or null: at most three characters differ, and fewer than half. */
export function nearName(names: readonly string[], wanted: string): string | null {
  const [nearest] = nearestFirst(names, wanted);
  if (nearest === undefined) return null;
  const distance = distanceIgnoringCase(nearest, wanted);
  return distance <= 3 && distance * 2 < Math.max(nearest.length, wanted.length) ? nearest : null;
}

function distanceIgnoringCase(one: string, other: string): number {
  return editDistance(one.toLowerCase(), other.toLowerCase());
}

/** How many similar names an error lists. */
const maxSuggestions = 8;

/** Throws exit 2 for names that `--fields` cannot find, with the most similar of the known ones. */
export function refuseUnknownFields(fields: readonly (readonly string[])[], known: readonly string[]): void {
  const unknown = fields
    .map((path) => path.join('.'))
    .filter((name) => !known.includes(name) && !isBelowMap(name, known));
  const [first] = unknown;
  if (first === undefined || known.length === 0) return;
  const suggest = (name: string) => `${printable(name)} (did you mean ${nearestFirst(known, name)[0]}?)`;
  throw usageError(
    `unknown field${unknown.length === 1 ? '' : 's'}: ${unknown.map(suggest).join(', ')}`,
    `similar fields: ${nearestFirst(known, first).slice(0, maxSuggestions).join(', ')}; --json prints all fields`,
    {
      code: 'unknown_field',
      fields: unknown.map((field) => ({ field, flag: '--fields', detail: 'is not a known field' })),
    },
  );
}

/** The contract does not name the keys of a map, such as `templates.order_paid`. */
function isBelowMap(name: string, known: readonly string[]): boolean {
  return known.some(
    (field) => name.startsWith(`${field}.`) && !known.some((other) => other.startsWith(`${field}.`)),
  );
}
