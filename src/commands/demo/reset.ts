import { rmSync } from 'node:fs';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { demoDirectory } from '../../cli/config/directories.ts';
import { describeSystemError, localStateError } from '../../cli/core/errors.ts';

export const command: CommandDefinition = {
  description: 'Remove the demo store and everything done to it. The next --demo command creates a new one.',
  examples: ['demo reset'],
  async run(context) {
    const directory = demoDirectory(context.io);
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      throw localStateError(
        'demo_not_removed',
        `cannot remove ${directory}: ${describeSystemError(error)}`,
        'stop other storectl commands, then try again',
      );
    }
    context.notice(`Removed the demo store (${directory}).`);
    if (context.flags.json) printJson(context, { directory });
    return undefined;
  },
};
