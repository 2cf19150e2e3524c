import { describePlace } from '../../cli/config/connection-settings.ts';
import type { ProfileStore } from '../../cli/config/profile-store.ts';
import { printable } from '../../cli/core/sanitize.ts';
import type { Choice } from '../../cli/prompts/prompts.ts';

/** The stored profiles, each with its store and address. */
export function profileChoices(profiles: ProfileStore): Choice[] {
  return profiles.names().map((name) => {
    const used = name === profiles.current() ? ', in use' : '';
    const place = describePlace(profiles.get(name) ?? {});
    return { value: name, name: printable(`${name}  ${place}${used}`), short: printable(name) };
  });
}
