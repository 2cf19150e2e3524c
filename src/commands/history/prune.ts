import { type CommandDefinition, optionValue } from '../../cli/command.ts';
import { inputNeeded } from '../../cli/context.ts';
import { usageError } from '../../cli/errors.ts';
import { describeHistoryError } from '../../cli/perform.ts';
import { renderJson } from '../../cli/style.ts';

const units: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

export const command: CommandDefinition = {
  description: 'Remove old records from the history. Records that are still open stay, however old they are.',
  options: [
    { flag: '--older-than', value: 'AGE', description: 'For example 90d, 12w or 36h', group: 'Options:' },
  ],
  examples: ['history prune --older-than 90d'],
  async run(context, parsed) {
    const age = optionValue(parsed, '--older-than');
    if (age === undefined) {
      throw inputNeeded([
        {
          field: 'olderThan',
          give: '--older-than AGE',
          description: 'age from which to remove, for example 90d',
        },
      ]);
    }
    const [, count = '', unit = ''] = /^(\d{1,5})([hdw])$/.exec(age) ?? [];
    const unitMs = units[unit];
    if (unitMs === undefined)
      throw usageError(`--older-than takes an age, and "${age}" is none`, 'for example 90d, 12w or 36h');
    const history = await context.history();
    const removed = await history.prune({ olderThanMs: Number(count) * unitMs }).catch((error: unknown) => {
      throw describeHistoryError(error);
    });
    if (context.flags.json) context.print(renderJson(JSON.stringify({ removed }), context.out));
    else context.notice(`Removed ${removed.length} record${removed.length === 1 ? '' : 's'}.`);
    return undefined;
  },
};
