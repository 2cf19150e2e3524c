import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { cancelledError, usageError } from '../../cli/core/errors.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { parseDuration } from '../../cli/input/parse-duration.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { askOrFail } from '../../cli/prompts/ask-or-fail.ts';
import { askFromStart } from '../../cli/prompts/questions.ts';
import { recordAge } from '../../history/journal/history-record.ts';

export const command: CommandDefinition = {
  description: 'Remove old records from the history. Open records are kept, whatever their age.',
  options: [
    {
      flag: '--older-than',
      value: 'AGE',
      description: 'Remove records older than this, for example 90d, 12w or 36h',
    },
  ],
  examples: ['history prune --older-than 90d', 'history prune --older-than 90d --dry-run'],
  dryRun: true,
  async run(context, parsed) {
    const age = optionValue(parsed, '--older-than');
    const olderThanMs = age === undefined ? await askAge(context) : parseAge(age);
    if (olderThanMs === null)
      throw usageError(`--older-than must be an age (got "${age}")`, 'for example 90d, 12w or 36h');
    if (context.flags.dryRun) return await printOld(context, olderThanMs);
    const history = await context.history();
    const removed = await history.prune({ olderThanMs });
    if (removed.length === 0) context.notice('Nothing to remove.');
    else noticeDone(context, `Removed ${removed.length} record${removed.length === 1 ? '' : 's'}`);
    if (context.flags.json) printJson(context, { removed });
  },
};

/** What would be removed. */
async function printOld(context: Context, olderThanMs: number): Promise<undefined> {
  const { old } = await findOld(context, olderThanMs);
  if (context.flags.json) printJson(context, { wouldRemove: old.map(({ id }) => id) });
  else if (context.flags.quiet) for (const { id } of old) context.print(id);
  else if (old.length === 0) context.notice('Nothing to remove.');
  else {
    for (const { id, operation } of old) context.print(`${id}  ${printable(operation)}`);
    context.notice(
      `Would remove ${old.length === 1 ? '1 record' : `${old.length} records`}. Nothing was removed.`,
    );
  }
}

async function findOld(context: Context, olderThanMs: number) {
  const { records } = await (await context.history()).list({ open: false });
  return { records, old: records.filter((record) => recordAge(record, context.now()) > olderThanMs) };
}

/** Milliseconds, or null if the text is not an age. */
const parseAge = (text: string) => parseDuration(text, 'hdw');

async function askAge(context: Context): Promise<number> {
  const description = 'age of the records to remove, for example 90d';
  const missing = { field: 'olderThan', give: '--older-than AGE', description };
  return askOrFail(context, [missing], async ({ askText, askYesNo }) => {
    let text = '';
    let age = 0;
    const ask = async () => {
      const validate = (typed: string) =>
        parseAge(typed.trim()) !== null || 'must be an age such as 90d, 12w or 36h';
      const message = 'Remove records older than (for example 90d, 12w or 36h)';
      text = await askText(context.io, message, { validate, preset: text === '' ? undefined : text });
      age = parseAge(text.trim()) ?? 0;
    };
    const confirm = async () => {
      if (context.flags.dryRun) return;
      const { old } = await findOld(context, age);
      const question = `Remove ${old.length === 1 ? '1 record' : `${old.length} records`} from the history on this machine?`;
      if (old.length > 0 && !(await askYesNo(context.io, question))) throw cancelledError();
    };
    await askFromStart(() => [ask, confirm]);
    return age;
  });
}
