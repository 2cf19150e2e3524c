import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { nameProfile, profileChoices, requireProfile } from '../../cli/profiles/choose-profile.ts';
import { printProfile } from '../../cli/profiles/view-profile.ts';

export const command: CommandDefinition = {
  description: 'Remove a profile and its key. Its history stays.',
  arguments: [{ name: 'name', description: 'Name of the profile', complete: 'profile' }],
  examples: ['profile remove outlet'],
  async run(context, parsed) {
    const profiles = await context.profiles();
    const name = await nameProfile(context, argumentValue(parsed, 'name'), {
      message: 'Which profile do you want to remove?',
      choices: profileChoices(profiles),
      confirmation: (chosen) => `Remove profile ${chosen} and its key?`,
    });
    requireProfile(profiles, name);
    await profiles.remove(name);
    context.notice(`Removed profile ${name}.`);
    printProfile(context, profiles, name);
    return undefined;
  },
};
