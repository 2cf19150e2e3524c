import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printProfile } from '../../cli/command/print-json.ts';
import { keyVariable } from '../../cli/config/api-key.ts';
import type { ProfileStore } from '../../cli/config/profile-store.ts';
import type { Environment } from '../../cli/core/io.ts';
import { line } from '../../cli/core/sanitize.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';

export const command: CommandDefinition = {
  description:
    'Remove the stored key of the profile, or the command for it. Its base URL and store id stay. The key itself stays valid.',
  examples: ['auth logout', 'auth logout --profile outlet'],
  async run({ ui, session }) {
    const { profile, key } = await session.settings();
    const profiles = await session.profiles();
    const { apiKey, keyCommand } = profiles.get(profile) ?? {};
    if (apiKey === undefined && keyCommand === undefined) {
      ui.notice(line`Profile ${profile} has no stored key.`);
    } else {
      const isOnlyCopy = apiKey !== undefined && !isElsewhere(apiKey, profile, profiles, session.io.env);
      await profiles.set(profile, (before) => {
        const { apiKey: _, keyCommand: __, keyBaseUrl: ___, ...rest } = before ?? {};
        return rest;
      });
      printSuccess(
        ui,
        `Removed the ${apiKey === undefined ? 'key command' : 'stored key'} of profile ${profile}`,
      );
      if (isOnlyCopy)
        ui.notice(
          'It was the only copy on this machine: to log in again, you need the key from where you keep it, or a new one.',
        );
      if (apiKey !== undefined)
        ui.notice('The key stays valid until you revoke it in the settings of the store.');
    }
    const variable = key?.source === 'environment' ? keyVariable(session.io.env) : null;
    if (variable !== null) ui.notice(line`The key in ${variable} is still used: unset it too.`);
    printProfile(ui, profiles, profile);
  },
};

/** Whether another profile or the environment has the same key. */
function isElsewhere(key: string, profile: string, profiles: ProfileStore, env: Environment): boolean {
  const others = profiles.names().filter((name) => name !== profile);
  return env.STORECTL_API_KEY?.trim() === key || others.some((name) => profiles.get(name)?.apiKey === key);
}
