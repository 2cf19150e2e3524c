import { printJson } from '../../cli/command/print-json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { usageError } from '../../cli/core/errors.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { recording } from '../../cli/operation/send/send-run.ts';
import { recordSummary } from '../../cli/output/record-summary.ts';
import { markRecords, openRecords } from '../../history/changes/resume.ts';
import { isInDoubt } from '../../history/journal/history-record.ts';
import { chooseOpen } from './choose.ts';

const states = new Map([
  ['applied', 'applied'],
  ['not-applied', 'not_sent'],
] as const);

/** Ends open changes with what the user found in the store: one, or all of the run whose id it is. */
export async function markByHand(
  ui: Ui,
  session: Session,
  id: string | undefined,
  mark: string,
): Promise<undefined> {
  const state = states.get(mark as 'applied');
  if (state === undefined)
    throw usageError(`--mark must be applied or not-applied (got "${mark}")`, 'for example --mark applied');
  const history = await session.history();
  const wanted = id ?? (await chooseToMark(ui, session, mark));
  if (wanted === null) {
    ui.notice('Nothing to resume.');
    return undefined;
  }
  const { signal } = ui.io;
  const marked = await recording(session, () => markRecords(history, wanted, state, { signal }));
  const [first] = marked;
  const what = marked.length === 1 ? (first?.id ?? wanted) : `${marked.length} changes of ${wanted}`;
  noticeDone(ui, `Marked ${what} as ${mark}`);
  if (!ui.json) return undefined;
  const summaries = marked.map((record) => recordSummary(record));
  printJson(ui, marked.length === 1 ? summaries[0] : summaries);
}

/** Null if nothing is in doubt. */
async function chooseToMark(ui: Ui, session: Session, mark: string): Promise<string | null> {
  if (!ui.canAsk) {
    throw usageError(
      '--mark needs the id of a change',
      'for example `storectl resume k3f9a2 --mark applied`',
    );
  }
  const records = openRecords(await session.history()).filter(isInDoubt);
  return records.length === 0
    ? null
    : chooseOpen(ui, records, `Which change do you want to mark as ${mark}?`);
}
