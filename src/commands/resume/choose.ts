import type { Context } from '../../cli/command/context.ts';
import { cancelledError } from '../../cli/core/errors.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { asChoice } from '../../cli/operation/questions/choose-record.ts';
import { renderIndented, rowsOf } from '../../cli/output/tables.ts';
import { chooseOrFail } from '../../cli/prompts/ask-or-fail.ts';
import { askYesNo, type Choice } from '../../cli/prompts/prompts.ts';
import { askFirst } from '../../cli/prompts/questions.ts';
import type { HistoryRecord } from '../../history/journal/history-record.ts';

/** Asks for one of these changes. */
export async function chooseOpen(
  context: Context,
  records: readonly HistoryRecord[],
  message: string,
  others: readonly Choice[] = [],
): Promise<string> {
  const choices = records.map((record) => asChoice(record, context.now())).reverse();
  const missing = { field: 'id', give: '[id]', description: 'id of one change' };
  return askFirst(() => chooseOrFail(context, missing, message, [...others, ...choices]));
}

/** One of several changes, or all of them. */
export async function chooseOneOrAll(
  context: Context,
  records: readonly HistoryRecord[],
): Promise<readonly HistoryRecord[]> {
  const all = { value: '', name: `All (${records.length} changes)` };
  const chosen = await chooseOpen(context, records, 'Which change do you want to resume?', [all]);
  return records.filter(({ id }) => chosen === '' || id === chosen);
}

/** Shows changes that would be sent again and asks. Throws exit 130 if the answer is no. */
export async function confirmSending(context: Context, records: readonly HistoryRecord[]): Promise<void> {
  if (records.length === 0) return;
  for (const record of records) showRequest(context, record);
  const keyed = records.filter((record) => record.class === 'keyed').length;
  if (keyed > 0) {
    const all = records.length === 1 ? 'It' : 'Each';
    const which = keyed < records.length ? 'A change with an idempotency key' : all;
    context.notice(`${which} keeps its idempotency key, so it is applied only once.`);
  }
  const question =
    records.length === 1 ? 'Send this change again?' : `Send these ${records.length} changes again?`;
  if (!(await askFirst(() => askYesNo(context.io, question, true)))) throw cancelledError();
}

function showRequest(context: Context, record: HistoryRecord): void {
  const { method, path, body } = record;
  context.notice(asChoice(record, context.now()).name);
  const fields = body === null ? {} : JSON.parse(body);
  const rows = rowsOf(fields, { now: context.now(), currency: null });
  context.notice(renderIndented([['Method', method], ['Path', printable(path)], ...rows], context.err));
}

/** Asks about one change that is not sent again without a yes. */
export function askYes(context: Context, record: HistoryRecord, question: string): Promise<boolean> {
  showRequest(context, record);
  return askFirst(() => askYesNo(context.io, question));
}
