import type { Ui } from '../../cli/command/ui.ts';
import { cancelledError } from '../../cli/core/errors.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { recordChoice } from '../../cli/output/record-summary.ts';
import { renderIndented, rowsOf } from '../../cli/output/tables.ts';
import { agrees, chooseOrFail } from '../../cli/prompts/ask-or-fail.ts';
import type { Choice } from '../../cli/prompts/prompts.ts';
import type { HistoryRecord } from '../../history/journal/history-record.ts';

/** Asks for one of these changes. */
export async function chooseOpen(
  ui: Ui,
  records: readonly HistoryRecord[],
  message: string,
  others: readonly Choice[] = [],
): Promise<string> {
  const choices = records.map((record) => recordChoice(record)).reverse();
  const missing = { field: 'id', give: '[id]', description: 'id of one change' };
  return chooseOrFail(ui, missing, message, [...others, ...choices]);
}

/** One of several changes, or all of them. */
export async function chooseOneOrAll(
  ui: Ui,
  records: readonly HistoryRecord[],
): Promise<readonly HistoryRecord[]> {
  const all = { value: '', name: `All (${records.length} changes)` };
  const chosen = await chooseOpen(ui, records, 'Which change do you want to resume?', [all]);
  return records.filter(({ id }) => chosen === '' || id === chosen);
}

/** Shows changes that would be sent again and asks. Throws exit 130 if the answer is no. */
export async function confirmSending(ui: Ui, records: readonly HistoryRecord[]): Promise<void> {
  if (records.length === 0) return;
  for (const record of records) showRequest(ui, record);
  const keyed = records.filter((record) => record.class === 'keyed').length;
  if (keyed > 0) {
    const all = records.length === 1 ? 'It' : 'Each';
    const which = keyed < records.length ? 'A change with an idempotency key' : all;
    ui.notice(`${which} keeps its idempotency key, so it is applied only once.`);
  }
  const question =
    records.length === 1 ? 'Send this change again?' : `Send these ${records.length} changes again?`;
  if (!(await agrees(ui, question, true))) throw cancelledError();
}

function showRequest(ui: Ui, record: HistoryRecord): void {
  const { method, path, body } = record;
  ui.notice(recordChoice(record).name);
  const fields = body === null ? {} : JSON.parse(body);
  const rows = rowsOf(fields);
  ui.notice(renderIndented([['Method', method], ['Path', printable(path)], ...rows], ui.err));
}

/** Asks about one change that is not sent again without a yes. */
export function askYes(ui: Ui, record: HistoryRecord, question: string): Promise<boolean> {
  showRequest(ui, record);
  return agrees(ui, question);
}
