import type { CommandDefinition } from '../../cli/command.ts';

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
      const { apiKey: _, keyOrigin: __, ...rest } = stored;
      profiles.set(profile, rest);
      context.notice(
        `Removed the key of profile ${profile}. It stays valid until it is revoked where it was made.`,
      );
    }
    if (apiKey?.source === 'environment')
      context.notice('A key from the environment is still used: unset it too.');
    return undefined;
  },
};
