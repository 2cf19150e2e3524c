import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import type { ProfileStore } from '../config/profile-store.ts';
import { requireProfile } from './choose-profile.ts';

/** A stored profile for output: says whether it has a key, but never contains it. */
export function viewProfile(profiles: ProfileStore, name: string) {
  const { apiKey, ...profile } = requireProfile(profiles, name);
  return { name, ...profile, key: apiKey !== undefined, file: profiles.file };
}

/** With --json, prints the profile after a change, or only its name if it was removed. */
export function printProfile(ui: Ui, profiles: ProfileStore, name: string): void {
  if (!ui.json) return;
  printJson(ui, profiles.get(name) === null ? { name } : viewProfile(profiles, name));
}
