import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { nameProfile, profileChoices, requireProfile } from '../../cli/profiles/choose-profile.ts';
import { printProfile } from '../../cli/profiles/view-profile.ts';

export const command: CommandDefinition = {
  description: 'Remove a profile with its key. What it did stays in the history.',
  arguments: [{ name: 'name', description: 'Name of the profile', complete: 'profile' }],
  examples: ['profile remove outlet'],
  async run(context, parsed) {
    const profiles = await context.profiles();
    const name = await nameProfile(context, argumentValue(parsed, 'name'), {
      message: 'Which profile shall be removed?',
      choices: profileChoices(profiles),
      confirmation: (chosen) => `Remove the profile ${chosen} with its key?`,
    });
    requireProfile(profiles, name);
    await profiles.remove(name);
    context.notice(`Removed profile ${name}.`);
    printProfile(context, profiles, name);
    return undefined;
  },
};
