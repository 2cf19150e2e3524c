import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import {
  demoChoice,
  nameProfile,
  printProfile,
  profileChoices,
  requireProfile,
} from '../../cli/profiles/stored-profile.ts';

export const command: CommandDefinition = {
  description: 'Choose the profile that commands use by default. "demo" is the demo store.',
  arguments: [{ name: 'name', description: 'Name of the profile', complete: 'profile' }],
  examples: ['profile use outlet', 'profile use demo'],
  async run({ ui, session, parsed }) {
    const profiles = await session.profiles();
    const name = await nameProfile(ui, argumentValue(parsed, 'name'), {
      message: 'Which profile do you want to use?',
      choices: [...profileChoices(profiles), demoChoice],
    });
    if (name !== demoProfile) requireProfile(profiles, name);
    await profiles.use(name);
    noticeDone(ui, `Switched to profile ${name}`);
    printProfile(ui, profiles, name);
  },
};
