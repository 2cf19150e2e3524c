import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printProfile } from '../../cli/command/print-json.ts';
import { demoProfile, describePlace, requireProfile } from '../../cli/config/connection-settings.ts';
import type { ProfileStore } from '../../cli/config/profile-store.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { chooseOrFail } from '../../cli/prompts/ask-or-fail.ts';
import type { Choice } from '../../cli/prompts/prompts.ts';

export const command: CommandDefinition = {
  description: 'Choose the profile that commands use by default. "demo" is the demo store.',
  arguments: [{ name: 'name', description: 'Name of the profile', complete: 'profile' }],
  examples: ['profile use outlet', 'profile use demo'],
  async run({ ui, session, parsed }) {
    const profiles = await session.profiles();
    const missing = { field: 'name', give: '<name>', description: 'name of the profile' };
    const name =
      argumentValue(parsed, 'name') ??
      (await chooseOrFail(ui, missing, 'Which profile do you want to use?', choicesOf(profiles)));
    if (name !== demoProfile) requireProfile(profiles, name);
    await profiles.use(name);
    printSuccess(ui, `Switched to profile ${name}`);
    printProfile(ui, profiles, name);
  },
};

/** The stored profiles, each with its store and address, and the demo store. */
function choicesOf(profiles: ProfileStore): Choice[] {
  const stored = profiles.names().map((name) => {
    const used = name === profiles.current() ? ', in use' : '';
    const place = describePlace(profiles.get(name) ?? {});
    return { value: name, name: printable(`${name}  ${place}${used}`), short: printable(name) };
  });
  return [...stored, { value: demoProfile, name: `${demoProfile}  the demo store`, short: demoProfile }];
}
