import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson, viewProfile } from '../../cli/command/print-json.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { renderRecord, rowsOf } from '../../cli/output/tables.ts';

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
    const name = argumentValue(parsed, 'name') ?? (await session.settings()).profile;
    const shown = viewProfile(profiles, name);
    if (ui.json) printJson(ui, shown);
    else {
      ui.print(renderRecord(rowsOf({ ...shown, key: shown.key ? 'stored' : 'not stored' }), ui.out));
    }
  },
};
