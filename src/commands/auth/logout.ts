import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printProfile } from '../../cli/command/print-json.ts';
import { keyVariable } from '../../cli/config/connection-settings.ts';
import { line } from '../../cli/core/sanitize.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';

export const command: CommandDefinition = {
  description:
    'Remove the stored key of the profile. Its base URL and store id stay. The key itself stays valid.',
  examples: ['auth logout', 'auth logout --profile outlet'],
  async run({ ui, session }) {
    const { profile, apiKey } = await session.settings();
    const profiles = await session.profiles();
    if (profiles.get(profile)?.apiKey === undefined) {
      ui.notice(line`Profile ${profile} has no stored key.`);
    } else {
      await profiles.set(profile, (before) => {
        const { apiKey: _, keyBaseUrl: __, ...rest } = before ?? {};
        return rest;
      });
      noticeDone(ui, `Removed the stored key of profile ${profile}`);
      ui.notice('The key stays valid until you revoke it in the settings of the store.');
    }
    const variable = apiKey?.source === 'environment' ? keyVariable(session.io.env) : null;
    if (variable !== null) ui.notice(line`The key in ${variable} is still used: unset it too.`);
    printProfile(ui, profiles, profile);
  },
};
