import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printProfile } from '../../cli/command/print-json.ts';
import { demoProfile, requireProfile } from '../../cli/config/connection-settings.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { askNeededOne } from '../../cli/prompts/ask-or-fail.ts';
import { profileChoices } from './profile-choices.ts';

export const command: CommandDefinition = {
  description: 'Choose the profile that commands use by default. "demo" is the demo store.',
  arguments: [{ name: 'name', description: 'Name of the profile', complete: 'profile' }],
  examples: ['profile use outlet', 'profile use demo'],
  async run({ ui, session, parsed }) {
    const profiles = await session.profiles();
    const missing = {
      field: 'name',
      give: '<name>',
      description: 'name of the profile',
      label: 'Name of the profile',
      question: 'Which profile do you want to use?',
      choices: async () => [
        ...profileChoices(profiles),
        { value: demoProfile, name: `${demoProfile}  the demo store`, short: demoProfile },
      ],
      isClosed: true,
    };
    const name = argumentValue(parsed, 'name') ?? session.flags.profile ?? (await askNeededOne(ui, missing));
    if (name !== demoProfile) requireProfile(profiles, name);
    await profiles.use(name);
    printSuccess(ui, `Switched to profile ${name}`);
    printProfile(ui, profiles, name);
  },
};
