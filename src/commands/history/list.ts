import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { usageError } from '../../cli/core/errors.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { recordSummary } from '../../cli/output/record-summary.ts';
import { renderTable } from '../../cli/output/tables.ts';
import { operations } from '../../contract/operations.ts';
import { type RecordState, rawOperationId, recordStates } from '../../history/records/record.ts';

/** Columns that a narrow terminal leaves out, the most important first. */
const spare = ['result', 'when', 'tries'];

const group = 'Options:';

const recordedOperations: readonly string[] = [
  ...operations.filter((known) => known.class !== 'read').map(({ id }) => id),
  rawOperationId,
];

export const command: CommandDefinition = {
  description: `List the changes that this machine sent with the profile, newest first: what was sent, whether it was
applied, and what is still open. Changes made elsewhere are not listed: the service cannot list them.`,
  options: [
    {
      flag: '--operation',
      value: 'NAME',
      description: 'Only this operation, for example backup.create',
      group,
      complete: recordedOperations,
    },
    {
      flag: '--state',
      value: 'STATE',
      description: `Only this state: ${recordStates.join(', ')}`,
      group,
      complete: recordStates,
    },
    { flag: '--limit', value: 'N', description: 'Maximum number of records (default 50)', group },
  ],
  examples: ['history list', 'history list --operation backup.create --json', 'history list --state unknown'],
  async run(context, parsed) {
    const operation = optionValue(parsed, '--operation');
    if (operation !== undefined && !recordedOperations.includes(operation)) {
      throw usageError(
        `unknown operation "${operation}"`,
        `--operation is one of: ${recordedOperations.join(', ')}`,
      );
    }
    const state = optionValue(parsed, '--state');
    if (state !== undefined && !isState(state)) {
      throw usageError(`unknown state "${state}"`, `--state is one of: ${recordStates.join(', ')}`);
    }
    const limit = Number(optionValue(parsed, '--limit') ?? '50');
    if (!Number.isInteger(limit) || limit < 1)
      throw usageError('--limit must be a whole number, at least 1', 'for example --limit 20');

    const history = await context.history();
    const { records, problems } = await history.list({ operation, state });
    for (const { file, message } of problems)
      context.notice(context.err.color.yellow(printable(`${file} ${message}`)));
    const shown = records.slice(0, limit);
    if (context.flags.quiet) for (const { id } of shown) context.print(id);
    else if (context.flags.json) {
      printJson(
        context,
        shown.map((record) => recordSummary(record, context.now())),
      );
    } else if (shown.length === 0) {
      const isFiltered = operation !== undefined || state !== undefined;
      context.notice(isFiltered ? 'No matching records on this machine.' : 'No history yet on this machine.');
    } else {
      let leftOut: readonly string[] = [];
      const text = renderTable(
        ['id', 'when', 'operation', 'state', 'result', 'tries'],
        shown.map((record) => {
          const { id, age, operation, state, open, result, attempts } = recordSummary(record, context.now());
          return [
            id,
            age,
            printable(operation),
            open ? `${state} (open)` : state,
            printable(result ?? '-'),
            String(attempts),
          ];
        }),
        context.out,
        spare,
        (titles) => {
          leftOut = titles;
        },
      );
      context.print(text);
      if (leftOut.length > 0)
        context.notice(`The terminal is too narrow for: ${leftOut.join(', ')}. --json has everything.`);
      context.notice(`Known to this machine (${history.folder}).`);
      if (records.length > limit)
        context.notice(`${records.length - limit} more. --limit ${records.length} shows all.`);
    }
    return undefined;
  },
};

function isState(text: string): text is RecordState {
  return recordStates.some((state) => state === text);
}
