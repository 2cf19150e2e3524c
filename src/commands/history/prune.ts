import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { usageError } from '../../cli/core/errors.ts';
import { parseDuration } from '../../cli/core/parse-duration.ts';
import { isOn, optionValue } from '../../cli/core/parsed-command.ts';
import { line } from '../../cli/core/sanitize.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { askNeededOne } from '../../cli/prompts/ask-or-fail.ts';
import { pruneLogs } from '../../history/prune.ts';

const backups = '--backups';
const description = 'Remove changes older than this, for example 90d, 12w or 36h';

export const command: CommandDefinition = {
  description: `Remove old changes from the history of this store. Open changes and appeals are kept, whatever their age, and so
are backups unless ${backups} is given: the service cannot list them.`,
  options: [
    { flag: '--older-than', value: 'AGE', description },
    { flag: backups, description: 'Also forget old backups; they stay in the store' },
  ],
  examples: ['history prune --older-than 90d', 'history prune --older-than 90d --dry-run'],
  dryRun: true,
  async run({ ui, session, parsed }) {
    const missing = {
      field: 'olderThan',
      give: '--older-than AGE',
      description,
      question: 'Remove changes older than (for example 90d)',
      validate: (text: string) =>
        parseDuration(text, 'hdw') !== null || 'Type an age such as 90d, 12w or 36h',
    };
    const age = optionValue(parsed, '--older-than') ?? (await askNeededOne(ui, missing));
    const olderThanMs = parseDuration(age.trim(), 'hdw');
    if (olderThanMs === null)
      throw usageError(`--older-than must be an age (got "${age}")`, 'for example 90d, 12w or 36h');
    const { dryRun } = session.flags;
    const history = await session.history();
    const options = { olderThanMs, withBackups: isOn(parsed, backups), isDryRun: dryRun };
    const ids = (await pruneLogs(history.journal, options)).map(({ id }) => id);
    if (ui.json) printJson(ui, dryRun ? { wouldRemove: ids } : { removed: ids });
    else if (dryRun || ui.quiet) for (const id of ids) ui.print(line`${id}`);
    if (ids.length === 0) ui.notice('Nothing to remove.');
    else if (dryRun) ui.notice(line`Would remove ${countRuns(ids)}. Nothing was removed.`);
    else printSuccess(ui, `Removed ${countRuns(ids)}`);
  },
};

function countRuns({ length }: readonly string[]): string {
  return length === 1 ? '1 run from the history' : `${length} runs from the history`;
}
