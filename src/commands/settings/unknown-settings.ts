import { isObject, leafPaths } from '../../base/json.ts';
import type { FieldChange } from '../../cli/core/json-changes.ts';
import { isKnownPath, refuseMistyped } from '../../cli/input/unknown-fields.ts';
import { clientFields, saveSettings } from '../../contract/operations/settings.ts';

/**
 * Throws exit 2 for names that are nearly those of settings, such as `quiethours`: they would be saved, and change nothing.
 * A name that the service itself has, in `current`, is right.
 */
export function refuseMistypedSettings(given: Readonly<Record<string, unknown>>, current: unknown): void {
  refuseMistyped(saveSettings.body, clientFields(given), current, 'a setting');
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
    leafPaths(after ?? before, path).every((leaf) => isKnownPath(saveSettings.body, leaf));
  return {
    known: changes.filter(isKnown),
    unknown: changes.filter((change) => !isKnown(change)),
  };
}
