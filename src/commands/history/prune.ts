import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { cancelledError, usageError } from '../../cli/core/errors.ts';
import { isOn, optionValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { parseDuration } from '../../cli/input/parse-duration.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { askOrFail } from '../../cli/prompts/ask-or-fail.ts';
import { askFromStart } from '../../cli/prompts/questions.ts';
import { pruneLogs } from '../../history/journal/prune.ts';

const backups = '--backups';

export const command: CommandDefinition = {
  description: `Remove old changes from the history of this store. Open changes and appeals are kept, whatever their age, and so
are backups unless ${backups} is given: the service cannot list them.`,
  options: [
    {
      flag: '--older-than',
      value: 'AGE',
      description: 'Remove changes older than this, for example 90d, 12w or 36h',
    },
    { flag: backups, description: 'Also forget old backups; they stay in the store' },
  ],
  examples: ['history prune --older-than 90d', 'history prune --older-than 90d --dry-run'],
  dryRun: true,
  async run(context, parsed) {
    const age = optionValue(parsed, '--older-than');
    const olderThanMs = age === undefined ? await askAge(context, parsed) : parseAge(age);
    if (olderThanMs === null)
      throw usageError(`--older-than must be an age (got "${age}")`, 'for example 90d, 12w or 36h');
    const { dryRun, json, quiet } = context.flags;
    const ids = await pruneOlder(context, parsed, olderThanMs, dryRun);
    if (json) printJson(context, dryRun ? { wouldRemove: ids } : { removed: ids });
    else if (dryRun || quiet) for (const id of ids) context.print(id);
    if (ids.length === 0) context.notice('Nothing to remove.');
    else if (dryRun) context.notice(`Would remove ${countRuns(ids)}. Nothing was removed.`);
    else noticeDone(context, `Removed ${countRuns(ids)}`);
    return undefined;
  },
};

async function pruneOlder(
  context: Context,
  parsed: ParsedCommand,
  olderThanMs: number,
  isDryRun: boolean,
): Promise<string[]> {
  const history = await context.history();
  const options = { olderThanMs, withBackups: isOn(parsed, backups), isDryRun };
  return (await pruneLogs(history.journal, options)).map(({ id }) => id);
}

function countRuns({ length }: readonly string[]): string {
  return length === 1 ? '1 run from the history' : `${length} runs from the history`;
}

/** Milliseconds, or null if the text is not an age. */
const parseAge = (text: string) => parseDuration(text, 'hdw');

async function askAge(context: Context, parsed: ParsedCommand): Promise<number> {
  const description = 'age of the changes to remove, for example 90d';
  const missing = { field: 'olderThan', give: '--older-than AGE', description };
  return askOrFail(context, [missing], async ({ askText, askYesNo }) => {
    let text = '';
    let age = 0;
    const ask = async () => {
      const validate = (typed: string) =>
        parseAge(typed.trim()) !== null || 'must be an age such as 90d, 12w or 36h';
      const message = 'Remove changes older than (for example 90d, 12w or 36h)';
      text = await askText(context.io, message, { validate, preset: text === '' ? undefined : text });
      age = parseAge(text.trim()) ?? 0;
    };
    const confirm = async () => {
      if (context.flags.dryRun) return;
      const old = await pruneOlder(context, parsed, age, true);
      const question = `Remove ${countRuns(old)} on this machine?`;
      if (old.length > 0 && !(await askYesNo(context.io, question))) throw cancelledError();
    };
    await askFromStart(() => [ask, confirm]);
    return age;
  });
}
