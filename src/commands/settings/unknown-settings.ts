import { isObject, leafPaths, valueAt } from '../../base/json.ts';
import { nearName } from '../../base/nearest-name.ts';
import { invalidFields } from '../../cli/core/errors.ts';
import { dottedPath } from '../../cli/core/field-path.ts';
import type { FieldChange } from '../../cli/core/json-changes.ts';
import { eventTypes } from '../../contract/operations/notifications.ts';
import { saveSettings, serverOwnedSettings } from '../../contract/operations/settings.ts';
import { type BodySchema, shapeOf } from '../../contract/schema-paths.ts';

/** A name that is not a setting of the contract, and the one that was probably meant. */
interface UnknownName {
  readonly path: readonly string[];
  readonly near: string | null;
}

/**
 * Throws exit 2 for names that are nearly those of settings, such as `quiethours`: they would be saved, and change nothing.
 * A name that the service itself has, in `current`, is right.
 */
export function refuseMistypedSettings(given: Readonly<Record<string, unknown>>, current: unknown): void {
  const mistyped = unknownNames(given).filter(
    ({ path, near }) => near !== null && valueAt(current, path) === undefined,
  );
  if (mistyped.length === 0) return;
  throw invalidFields(
    mistyped.map(({ path, near }) => ({
      field: dottedPath(path),
      flag: null,
      detail: `is not a setting (did you mean ${near}?)`,
    })),
    [{ say: 'fix the name' }, { again: true }],
  );
}

/** Settings that stand one level too deep, in `settings: {quietHours: …}` or the like. */
export function wrappedSettings(value: unknown): string[] {
  const known = Object.keys(saveSettings.body.shape);
  return isObject(value) ? Object.keys(value).filter((name) => known.includes(name)) : [];
}

/** Changes of settings that the contract knows, and of others. */
export function splitByKnown(changes: readonly FieldChange[]): {
  known: FieldChange[];
  unknown: FieldChange[];
} {
  const isKnown = ({ path, before, after }: FieldChange) =>
    leafPaths(after ?? before, path).every((leaf) => unknownNames(nest(leaf)).length === 0);
  return {
    known: changes.filter(isKnown),
    unknown: changes.filter((change) => !isKnown(change)),
  };
}

/** `a.b` as `{ a: { b: … } }`. */
function nest(path: readonly string[]): Record<string, unknown> {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), null) as Record<string, unknown>;
}

/** The names in a document of settings that the contract does not have, the outermost ones. */
function unknownNames(given: Readonly<Record<string, unknown>>): UnknownName[] {
  return Object.keys(given)
    .filter((name) => !serverOwnedSettings.includes(name))
    .flatMap((name) => unknownBelow(saveSettings.body, given, [name]));
}

function unknownBelow(schema: BodySchema, given: unknown, path: readonly string[]): UnknownName[] {
  const name = path.at(-1) ?? '';
  const { kind, names, field } = shapeOf(schema);
  if (kind === 'value' || kind === 'list') return [];
  // The names of templates are events, which are the service's to know: only a near miss is wrong.
  const known = kind === 'map' ? eventTypes : names;
  const meant = known.some((one) => one === name) ? null : nearName(known, name);
  const near = meant && dottedPath([...path.slice(0, -1), meant]);
  const next = field(name);
  if (next === undefined || (kind === 'map' && near !== null)) return [{ path, near }];
  const value = isObject(given) ? given[name] : undefined;
  return isObject(value)
    ? Object.keys(value).flatMap((child) => unknownBelow(next, value, [...path, child]))
    : [];
}
