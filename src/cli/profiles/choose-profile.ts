import type { Context } from '../command/context.ts';
import { checkProfileName, demoProfile } from '../config/connection-settings.ts';
import type { Profile, ProfileStore } from '../config/profile-store.ts';
import { usageError } from '../core/errors.ts';
import { printable } from '../core/sanitize.ts';
import { chooseOrRefuse } from '../prompts/ask-or-fail.ts';
import type { Choice } from '../prompts/prompts.ts';
import { askFirst } from '../prompts/questions.ts';

/** The stored profiles to choose from, each with where it goes. */
export function profileChoices(profiles: ProfileStore): Choice[] {
  return profiles.names().map((name) => {
    const { storeId, baseUrl } = profiles.get(name) ?? {};
    const goesTo = `${storeId ?? 'no store'} @ ${baseUrl ?? 'no address'}`;
    const used = name === profiles.current() ? ', in use' : '';
    return { value: name, name: printable(`${name}  ${goesTo}${used}`), short: printable(name) };
  });
}

export const demoChoice: Choice = {
  value: demoProfile,
  name: `${demoProfile}  the example store`,
  short: demoProfile,
};

/** What is asked where no profile is named. */
export interface ProfileQuestion {
  readonly message: string;
  readonly choices: readonly Choice[];
  /** What is asked then, for what cannot be taken back. */
  sure?(name: string): string;
}

/**
 * The name of a profile as the user typed it, or chose it in a terminal. Throws exit 3 where it is not given and nobody
 * can be asked, exit 2 where it is no name.
 */
export async function nameProfile(
  context: Context,
  name: string | undefined,
  { message, choices, sure }: ProfileQuestion,
): Promise<string> {
  if (name !== undefined) {
    checkProfileName(name);
    return name;
  }
  if (context.canPrompt && choices.length === 0) throw noProfiles();
  const missing = { field: 'name', give: '<name>', description: 'name of the profile' };
  return askFirst(() => chooseOrRefuse(context, missing, message, choices, sure));
}

/** The stored profile. Throws exit 2 with the names that there are. */
export function requireProfile(profiles: ProfileStore, name: string): Profile {
  const profile = profiles.get(name);
  if (profile !== null) return profile;
  const names = profiles.names();
  throw usageError(
    `there is no profile "${name}"`,
    names.length === 0
      ? 'there are none: `storectl auth login` makes the first'
      : `there are: ${names.join(', ')}`,
    { code: 'unknown_profile' },
  );
}

function noProfiles() {
  return usageError('there are no profiles', '`storectl auth login` makes the first', {
    code: 'unknown_profile',
  });
}
