import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { renderRecord, rowsOf } from '../../cli/output/tables.ts';
import { nameProfile, profileChoices, viewProfile } from '../../cli/profiles/stored-profile.ts';

export const command: CommandDefinition = {
  description: 'Show a stored profile, without its key.',
  arguments: [
    {
      name: 'name',
      description: 'Name of the profile (default: the one in use)',
      optional: true,
      complete: 'profile',
    },
  ],
  examples: ['profile show', 'profile show outlet --json'],
  async run({ ui, session, parsed }) {
    const profiles = await session.profiles();
    const named = argumentValue(parsed, 'name');
    const used = (await session.settings()).profile;
    const isAsked = named === undefined && profiles.get(used) === null && ui.canAsk;
    const name = isAsked
      ? await nameProfile(ui, undefined, {
          message: 'Which profile do you want to see?',
          choices: profileChoices(profiles),
        })
      : (named ?? used);
    const shown = viewProfile(profiles, name);
    if (ui.json) printJson(ui, shown);
    else {
      ui.print(renderRecord(rowsOf({ ...shown, key: shown.key ? 'stored' : 'not stored' }), ui.out));
    }
  },
};
