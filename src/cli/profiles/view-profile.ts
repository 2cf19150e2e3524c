import type { Context } from '../command/context.ts';
import { printJson } from '../command/print-json.ts';
import type { ProfileStore } from '../config/profile-store.ts';
import { requireProfile } from './choose-profile.ts';

/** A stored profile for people and scripts: whether it has a key, never the key. */
export function viewProfile(profiles: ProfileStore, name: string) {
  const { apiKey, ...profile } = requireProfile(profiles, name);
  return { name, ...profile, key: apiKey !== undefined, file: profiles.file };
}

/** With --json, the profile that a command has changed as it is now: where nothing is stored of it, its name. */
export function printProfile(context: Context, profiles: ProfileStore, name: string): void {
  if (!context.flags.json) return;
  printJson(context, profiles.get(name) === null ? { name } : viewProfile(profiles, name));
}
