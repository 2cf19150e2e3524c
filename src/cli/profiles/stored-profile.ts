import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import { checkProfileName, demoProfile, describePlace, loginCommand } from '../config/connection-settings.ts';
import type { Profile, ProfileStore } from '../config/profile-store.ts';
import { usageError } from '../core/errors.ts';
import { printable } from '../core/sanitize.ts';
import { chooseOrFail } from '../prompts/ask-or-fail.ts';
import type { Choice } from '../prompts/prompts.ts';

/** The stored profiles as choices, each with its store and address. */
export function profileChoices(profiles: ProfileStore): Choice[] {
  return profiles.names().map((name) => {
    const goesTo = describePlace(profiles.get(name) ?? {});
    const used = name === profiles.current() ? ', in use' : '';
    return { value: name, name: printable(`${name}  ${goesTo}${used}`), short: printable(name) };
  });
}

export const demoChoice: Choice = {
  value: demoProfile,
  name: `${demoProfile}  the demo store`,
  short: demoProfile,
};

/** The question if no profile is named. */
export interface ProfileQuestion {
  readonly message: string;
  readonly choices: readonly Choice[];
}

/**
 * The given name of a profile, or the one that the user chooses. Throws exit 3 if it is missing without a terminal, and
 * exit 2 if it is not valid.
 */
export async function nameProfile(
  ui: Ui,
  name: string | undefined,
  { message, choices }: ProfileQuestion,
): Promise<string> {
  if (name !== undefined) {
    checkProfileName(name);
    return name;
  }
  if (ui.canAsk && choices.length === 0) {
    throw usageError('no profiles yet', 'run `storectl auth login` to create one', {
      code: 'unknown_profile',
    });
  }
  const missing = { field: 'name', give: '<name>', description: 'name of the profile' };
  return chooseOrFail(ui, missing, message, choices);
}

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
