import type { CommandDefinition } from '../cli/command/command-definition.ts';
import { printJson } from '../cli/command/print-json.ts';
import { line } from '../cli/core/sanitize.ts';
import { version } from '../cli/core/version.ts';

export const command: CommandDefinition = {
  description: 'Print the version, as --version does.',
  examples: ['version', 'version --json'],
  async run({ ui }) {
    if (ui.json) printJson(ui, { version });
    else ui.print(line`${version}`);
    return undefined;
  },
};
