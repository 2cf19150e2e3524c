import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { maskWebhooks } from '../../cli/core/mask-webhooks.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { answerBody, recordSummary } from '../../cli/output/record-summary.ts';
import { renderRecord, rowsOf } from '../../cli/output/tables.ts';
import { chooseOrFail } from '../../cli/prompts/ask-or-fail.ts';
import { askFirst } from '../../cli/prompts/questions.ts';

export const command: CommandDefinition = {
  description: 'Show one change: what was sent and what the service answered.',
  arguments: [
    {
      name: 'id',
      description: 'Id from `storectl history list`, or its last six characters',
      complete: 'record',
    },
  ],
  examples: ['history show 20300131-090000-7k3f9a', 'history show 7k3f9a --json'],
  async run(context, parsed) {
    const id = argumentValue(parsed, 'id') ?? (await chooseRecord(context));
    if (id === null) return undefined;
    const history = await context.history();
    // The file keeps webhook tokens; what is printed may end up in the log of a CI job.
    const record = maskWebhooks(await history.get(id));
    if (context.flags.json) {
      printJson(context, record);
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
    if (record.former !== null) {
      const profile = record.profile === demoProfile ? '--demo' : `--profile ${record.profile}`;
      context.noticeToCopy(`Undo it with: storectl ${profile} settings save --undo ${record.id}`);
    }
    return undefined;
  },
};

/** Null if there is nothing to choose from. */
async function chooseRecord(context: Context): Promise<string | null> {
  const { recordChoices } = await import('../../cli/operation/questions/choose-record.ts');
  const choices = context.canPrompt ? await recordChoices(context) : [];
  if (context.canPrompt && choices.length === 0) {
    context.notice('No history yet on this machine for this profile.');
    return null;
  }
  const missing = { field: 'id', give: '<id>', description: 'id from `storectl history list`' };
  return askFirst(() => chooseOrFail(context, missing, 'Which change do you want to see?', choices));
}
