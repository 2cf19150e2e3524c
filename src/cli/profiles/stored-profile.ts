import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import { loginCommand } from '../config/connection-settings.ts';
import type { Profile, ProfileStore } from '../config/profile-store.ts';
import { usageError } from '../core/errors.ts';

/** The stored profile. Throws exit 2, listing the existing names, if it does not exist. */
export function requireProfile(profiles: ProfileStore, name: string): Profile {
  const profile = profiles.get(name);
  if (profile !== null) return profile;
  const names = profiles.names();
  throw usageError(
    `profile "${name}" not found`,
    names.length === 0
      ? `run \`${loginCommand(name)}\` to create it`
      : `existing profiles: ${names.join(', ')}; run \`${loginCommand(name)}\` to create this one`,
    { code: 'unknown_profile' },
  );
}

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
