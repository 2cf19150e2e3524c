import { argumentValue, type CommandDefinition } from '../../cli/command.ts';
import { inputNeeded } from '../../cli/context.ts';
import { answerBody, recordSummary } from '../../cli/history-view.ts';
import { renderRecord, rowsOf } from '../../cli/output.ts';
import { describeHistoryError } from '../../cli/perform.ts';
import { renderJson } from '../../cli/style.ts';

export const command: CommandDefinition = {
  description: 'Show what was sent for one change and what came back.',
  arguments: [
    {
      name: 'id',
      description: 'Id from `storectl history list`, or the part of it after the last dash',
      complete: 'record',
    },
  ],
  examples: ['history show 20300131-090000-7k3f9a', 'history show 7k3f9a --json'],
  async run(context, parsed) {
    const id = argumentValue(parsed, 'id');
    if (id === undefined)
      throw inputNeeded([{ field: 'id', give: '<id>', description: 'id from `storectl history list`' }]);
    const history = await context.history();
    const record = await history.get(id).catch((error: unknown) => {
      throw describeHistoryError(error);
    });
    if (context.flags.json) {
      context.print(renderJson(JSON.stringify(record), context.out));
      return undefined;
    }
    const values = { now: context.now(), currency: null };
    const { age: _, ...summary } = recordSummary(record, context.now());
    const rows = [
      ...rowsOf({ ...summary, request: `${record.method} ${record.path}` }, values),
      ...rowsOf({ sent: record.body === null ? null : JSON.parse(record.body) }, values),
      ...rowsOf(
        { answer: record.answer && { ...record.answer, body: answerBody(record) }, failure: record.failure },
        values,
      ),
    ];
    context.print(renderRecord(rows, context.out));
    return undefined;
  },
};
