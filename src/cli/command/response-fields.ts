import type * as z from 'zod/mini';
import { isObject } from '../../base/json.ts';
import { nearestFirst, nearName } from '../../base/nearest-name.ts';
import { usageError } from '../core/errors.ts';
import { dottedPath } from '../core/field-path.ts';
import { printable } from '../core/sanitize.ts';

/**
 * Dotted names of the fields of a response, outer ones before those inside. A list of objects is gone through, as
 * `--fields` does it; the names in a map are the store's own and are not known.
 */
export function fieldNames(schema: z.ZodMiniType, prefix = ''): string[] {
  // Inside of optional, nullable and lists.
  const { innerType, element } = schema.def as { innerType?: z.ZodMiniType; element?: z.ZodMiniType };
  const inner = innerType ?? element;
  if (inner !== undefined) return fieldNames(inner, prefix);
  if (schema.def.type !== 'object') return [];
  return Object.entries((schema as z.ZodMiniObject).shape).flatMap(([name, field]) => [
    prefix + name,
    ...fieldNames(field as z.ZodMiniType, `${prefix}${name}.`),
  ]);
}

/** Field names are listed down to this depth of an answer. */
const maxDepth = 5;

/** Dotted, printable names of the fields of an answer, outer ones first. Includes the fields of list items. */
export function namesIn(value: unknown, prefix = '', depth = 1): string[] {
  if (depth > maxDepth) return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => namesIn(item, prefix, depth + 1)))];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix + printable(dottedPath([name]));
    return [path, ...namesIn(inner, `${path}.`, depth + 1)];
  });
}

/** How many names an error lists. */
const maxSuggestions = 8;

/** Throws exit 2 for names that `--fields` cannot find, with known ones, the most similar ones first. */
export function refuseUnknownFields(fields: readonly (readonly string[])[], known: readonly string[]): void {
  const unknown = fields
    .map((path) => path.join('.'))
    .filter((name) => !known.includes(name) && !isBelowMap(name, known));
  const [first] = unknown;
  if (first === undefined || known.length === 0) return;
  const suggest = (name: string) => {
    const meant = nearName(known, name);
    return printable(name) + (meant === null ? '' : ` (did you mean ${meant}?)`);
  };
  const listed = nearestFirst(known, first);
  throw usageError(
    `unknown field${unknown.length === 1 ? '' : 's'}: ${unknown.map(suggest).join(', ')}`,
    `fields: ${listed.slice(0, maxSuggestions).join(', ')}${listed.length > maxSuggestions ? ', …' : ''}; --json prints all fields`,
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
