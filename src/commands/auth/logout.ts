import type { CommandDefinition } from '../../cli/command.ts';
import { printJson } from '../../cli/print-json.ts';
import { printProfile } from '../../cli/profile-view.ts';

export const command: CommandDefinition = {
  description:
    'Remove the stored key of the profile. Its address and store stay. The key itself stays valid.',
  examples: ['auth logout', 'auth logout --profile outlet'],
  async run(context) {
    const { profile, apiKey } = await context.settings();
    const profiles = await context.profiles();
    const stored = profiles.get(profile);
    if (stored?.apiKey === undefined) {
      context.notice(`Profile ${profile} has no stored key.`);
    } else {
      await profiles.set(profile, (before) => {
        const { apiKey: _, keyOrigin: __, ...rest } = before ?? {};
        return rest;
      });
      context.notice(
        `Removed the key of profile ${profile}. It stays valid until it is revoked where it was made.`,
      );
    }
    if (apiKey?.source === 'environment')
      context.notice('A key from the environment is still used: unset it too.');
    if (stored !== null) printProfile(context, profiles, profile);
    else if (context.flags.json) printJson(context, { name: profile });
    return undefined;
  },
};
