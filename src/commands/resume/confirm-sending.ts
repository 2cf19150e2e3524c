import type { Ui } from '../../cli/command/ui.ts';
import { cancelledError } from '../../cli/core/errors.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { recordChoice } from '../../cli/output/record-summary.ts';
import { renderIndented, rowsOf } from '../../cli/output/tables.ts';
import { agrees } from '../../cli/prompts/ask-or-fail.ts';
import type { HistoryRecord } from '../../history/journal/history-record.ts';

/** Shows changes that would be sent again and asks. Throws exit 130 if the answer is no. */
export async function confirmSending(ui: Ui, records: readonly HistoryRecord[]): Promise<void> {
  if (records.length === 0) return;
  for (const record of records) showRequest(ui, record);
  if (records.some((record) => record.class === 'keyed'))
    ui.notice('A change with an idempotency key is applied only once.');
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
