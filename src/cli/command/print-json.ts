import { nearestFirst } from '../../base/nearest-name.ts';
import { requireProfile } from '../config/connection-settings.ts';
import type { ProfileStore } from '../config/profile-store.ts';
import { selectAt, setPath } from '../core/field-path.ts';
import { line } from '../core/sanitize.ts';
import { renderJson } from '../output/style.ts';
import { namesIn } from './response-fields.ts';
import type { Ui } from './ui.ts';

/** Prints a value as JSON, or only the fields that `--fields` names. */
export function printJson(ui: Ui, value: unknown): void {
  ui.print(renderJson(JSON.stringify(chosenFields(ui, value)), ui.out));
}

/** A stored profile for output: says whether it has a key, but never contains it. Throws exit 2 if it does not exist. */
export function viewProfile(profiles: ProfileStore, name: string) {
  const { apiKey, ...profile } = requireProfile(profiles, name);
  const hasKey = apiKey !== undefined || profile.keyCommand !== undefined;
  return { name, ...profile, key: hasKey, file: profiles.file };
}

/** With --json, prints the profile after a change, or only its name if it was removed. */
export function printProfile(ui: Ui, profiles: ProfileStore, name: string): void {
  if (!ui.json) return;
  printJson(ui, profiles.get(name) === null ? { name } : viewProfile(profiles, name));
}

/**
 * The fields that `--fields` names, in their places, or the whole value without the flag. For a list, the fields of each
 * item. A missing field is null; if no item has it, a notice names the fields that exist.
 */
export function chosenFields({ fields, notice }: Ui, value: unknown): unknown {
  if (fields === null) return value;
  const items: unknown[] = Array.isArray(value) ? value : [value];
  for (const path of fields) {
    if (items.length === 0 || items.some((item) => selectAt(item, path) !== undefined)) continue;
    const name = path.join('.');
    const names = nearestFirst(namesIn(value), name).slice(0, 30).join(', ');
    notice(line`unknown field: ${name} (the response has: ${names || 'no fields'})`);
  }
  const selected = items.map((item) => {
    const chosen: Record<string, unknown> = {};
    for (const path of fields) setPath(chosen, path, selectAt(item, path) ?? null);
    return chosen;
  });
  return Array.isArray(value) ? selected : selected[0];
}
