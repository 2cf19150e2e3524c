import { argumentValue, type CommandDefinition } from '../../cli/command.ts';
import { requireName, requireProfile } from '../../cli/profile-names.ts';

export const command: CommandDefinition = {
  description: 'Remove a profile with its key. What it did stays in the history.',
  arguments: [{ name: 'name', description: 'Name of the profile', complete: 'profile' }],
  examples: ['profile remove outlet'],
  async run(context, parsed) {
    const name = requireName(argumentValue(parsed, 'name'));
    const profiles = await context.profiles();
    requireProfile(profiles, name);
    await profiles.remove(name);
    context.notice(`Removed profile ${name}.`);
    return undefined;
  },
};
