import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { cancelledError, usageError } from '../../cli/core/errors.ts';
import { isOn, optionValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { parseDuration } from '../../cli/input/parse-duration.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { agrees, askOrFail } from '../../cli/prompts/ask-or-fail.ts';
import { askFirst } from '../../cli/prompts/questions.ts';
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
  async run({ ui, session, parsed }) {
    const age = optionValue(parsed, '--older-than');
    const olderThanMs = age === undefined ? await askAge(ui) : parseAge(age);
    if (olderThanMs === null)
      throw usageError(`--older-than must be an age (got "${age}")`, 'for example 90d, 12w or 36h');
    const { dryRun } = session.flags;
    const { json, quiet } = ui;
    if (age === undefined && !dryRun) {
      const old = await pruneOlder(session, parsed, olderThanMs, true);
      const question = `Remove ${countRuns(old)} on this machine?`;
      if (old.length > 0 && !(await agrees(ui, question))) throw cancelledError();
    }
    const ids = await pruneOlder(session, parsed, olderThanMs, dryRun);
    if (json) printJson(ui, dryRun ? { wouldRemove: ids } : { removed: ids });
    else if (dryRun || quiet) for (const id of ids) ui.print(id);
    if (ids.length === 0) ui.notice('Nothing to remove.');
    else if (dryRun) ui.notice(`Would remove ${countRuns(ids)}. Nothing was removed.`);
    else noticeDone(ui, `Removed ${countRuns(ids)}`);
    return undefined;
  },
};

async function pruneOlder(
  session: Session,
  parsed: ParsedCommand,
  olderThanMs: number,
  isDryRun: boolean,
): Promise<string[]> {
  const history = await session.history();
  const options = { olderThanMs, withBackups: isOn(parsed, backups), isDryRun };
  return (await pruneLogs(history.journal, options)).map(({ id }) => id);
}

function countRuns({ length }: readonly string[]): string {
  return length === 1 ? '1 run from the history' : `${length} runs from the history`;
}

/** Milliseconds, or null if the text is not an age. */
const parseAge = (text: string) => parseDuration(text, 'hdw');

async function askAge(ui: Ui): Promise<number | null> {
  const description = 'age of the changes to remove, for example 90d';
  const missing = { field: 'olderThan', give: '--older-than AGE', description };
  const validate = (typed: string) =>
    parseAge(typed.trim()) !== null || 'must be an age such as 90d, 12w or 36h';
  const question = 'Remove changes older than (for example 90d, 12w or 36h)';
  const text = await askOrFail(ui, [missing], ({ askText }) =>
    askFirst(() => askText(ui.io, question, { validate })),
  );
  return parseAge(text.trim());
}
