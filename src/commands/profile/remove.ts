import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printProfile } from '../../cli/command/print-json.ts';
import { requireProfile } from '../../cli/config/connection-settings.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import {
  askNeededOne,
  confirmOption,
  confirmOrFail,
  missingConfirmation,
} from '../../cli/prompts/ask-or-fail.ts';
import { profileChoices } from './profile-choices.ts';

export const command: CommandDefinition = {
  description: 'Remove a profile and its key. Its history stays.',
  arguments: [{ name: 'name', description: 'Name of the profile', complete: 'profile' }],
  options: [confirmOption('NAME', 'name')],
  examples: ['profile remove outlet', 'profile remove outlet --confirm outlet'],
  async run({ ui, session, parsed }) {
    const profiles = await session.profiles();
    const missing = {
      field: 'name',
      give: '<name>',
      description: 'name of the profile',
      label: 'Name of the profile',
      question: 'Which profile do you want to remove?',
      choices: async () => profileChoices(profiles),
    };
    const name =
      argumentValue(parsed, 'name') ??
      session.flags.profile ??
      (await askNeededOne(ui, missing, { also: [missingConfirmation('NAME')] }));
    requireProfile(profiles, name);
    await confirmOrFail(ui, parsed, name, `Remove profile ${name} and its key?`);
    await profiles.remove(name);
    printSuccess(ui, `Removed profile ${name}`);
    printProfile(ui, profiles, name);
  },
};
