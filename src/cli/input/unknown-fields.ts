import { isObject, valueAt } from '../../base/json.ts';
import { nearName } from '../../base/nearest-name.ts';
import { inputHintOf } from '../../contract/fields.ts';
import { type BodySchema, shapeOf, valueSchema } from '../../contract/schema-paths.ts';
import { invalidFields } from '../core/errors.ts';
import { dottedPath } from '../core/field-path.ts';

/** A name that the contract does not have, and the one that was probably meant. */
interface UnknownName {
  readonly path: readonly string[];
  readonly near: string | null;
}

/**
 * Throws exit 2 for names that are nearly those of fields, such as `quiethours`, or stand in the wrong place, such as `cashbackBp` in
 * place of `settings.cashbackBp`: they would be sent, and change nothing. `what` is what the fields are: `a setting`. A name that the
 * service itself has, in `current`, is right.
 */
export function refuseMistyped(
  schema: BodySchema,
  given: Readonly<Record<string, unknown>>,
  current: unknown,
  what: string,
): void {
  const mistyped = unknownNames(schema, given).filter(
    ({ path, near }) => near !== null && valueAt(current, path) === undefined,
  );
  if (mistyped.length === 0) return;
  throw invalidFields(
    mistyped.map(({ path, near }) => ({
      field: dottedPath(path),
      flag: null,
      detail: `is not ${what} (did you mean ${near}?)`,
    })),
    [{ say: 'fix the name' }, { again: true }],
  );
}

/** Whether the contract has a field at a path: also one inside a value that it leaves open. */
export function isKnownPath(schema: BodySchema, path: readonly string[]): boolean {
  return unknownNames(schema, nest(path)).length === 0;
}

/** `a.b` as `{ a: { b: … } }`. */
function nest(path: readonly string[]): Record<string, unknown> {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), null) as Record<string, unknown>;
}

/** The names in a document that the contract does not have, the outermost ones. */
export function unknownNames(schema: BodySchema, given: Readonly<Record<string, unknown>>): UnknownName[] {
  return Object.keys(given).flatMap((name) => unknownBelow(schema, schema, given, [name]));
}

function unknownBelow(
  whole: BodySchema,
  schema: BodySchema,
  given: unknown,
  path: readonly string[],
): UnknownName[] {
  const name = path.at(-1) ?? '';
  const { kind, names, field } = shapeOf(schema);
  if (kind === 'value' || kind === 'list') return [];
  // The names of a map, such as events, are the service's to know: only a near miss is wrong.
  const known = kind === 'map' ? (inputHintOf(valueSchema(schema)).names ?? []) : names;
  const meant = known.some((one) => one === name) ? null : nearName(known, name);
  const near = meant === null ? null : dottedPath([...path.slice(0, -1), meant]);
  const next = field(name);
  if (next === undefined) return [{ path, near: near ?? elsewhere(whole, name) }];
  if (kind === 'map' && near !== null) return [{ path, near }];
  const value = isObject(given) ? given[name] : undefined;
  return isObject(value)
    ? Object.keys(value).flatMap((child) => unknownBelow(whole, next, value, [...path, child]))
    : [];
}

/** The only field with this name, in another place. */
function elsewhere(whole: BodySchema, name: string): string | null {
  const [only, ...others] = fieldPaths(whole).filter((path) => path.at(-1) === name);
  return only === undefined || others.length > 0 ? null : dottedPath(only);
}

function fieldPaths(schema: BodySchema, parent: readonly string[] = []): (readonly string[])[] {
  const { kind, names, field } = shapeOf(schema);
  if (kind !== 'object') return parent.length === 0 ? [] : [parent];
  return names.flatMap((name) => {
    const own = field(name);
    return own === undefined ? [] : fieldPaths(own, [...parent, name]);
  });
}
