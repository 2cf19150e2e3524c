import { inputNeeded } from './context.ts';
import { usageError } from './errors.ts';
import type { Profile, ProfileStore } from './profiles.ts';
import { checkProfileName } from './settings.ts';

/** The name of a profile as the user typed it. Throws exit 3 without one, exit 2 where it is no name. */
export function requireName(name: string | undefined): string {
  if (name === undefined)
    throw inputNeeded([{ field: 'name', give: '<name>', description: 'name of the profile' }]);
  checkProfileName(name);
  return name;
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
