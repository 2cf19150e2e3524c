import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { retryWhilePendingSync } from '../../base/files/pending.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { demoDirectory } from '../../cli/config/directories.ts';
import { localStateError } from '../../cli/core/errors.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { confirmOption, confirmOrFail } from '../../cli/prompts/ask-or-fail.ts';

export const command: CommandDefinition = {
  description: 'Remove the demo store and everything done to it. The next --demo command creates a new one.',
  options: [confirmOption('demo', 'word demo')],
  examples: ['demo reset', 'demo reset --confirm demo'],
  async run({ ui, session, parsed }) {
    const directory = demoDirectory(session.io);
    await confirmOrFail(ui, parsed, demoProfile, 'Remove the demo store and everything done to it?');
    // Windows refuses while a file in it is open: then all of it stays.
    const removed = `${directory}.${randomUUID()}`;
    try {
      if (existsSync(directory)) {
        retryWhilePendingSync(process.platform, () => renameSync(directory, removed));
        rmSync(removed, { recursive: true, force: true });
      }
    } catch (error) {
      throw localStateError(
        'demo_not_removed',
        `cannot remove ${directory}: ${describeSystemError(error)}`,
        'stop other storectl commands, then try again',
      );
    }
    printSuccess(ui, `Removed the demo store (${directory})`);
    if (ui.json) printJson(ui, { directory });
  },
};
