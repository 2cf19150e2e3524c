import { printJson } from '../../cli/command/print-json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { usageError } from '../../cli/core/errors.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { recording } from '../../cli/operation/send/send-run.ts';
import { recordSummary } from '../../cli/output/record-summary.ts';
import { markRecords } from '../../history/changes/resume.ts';

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
  if (id === undefined)
    throw usageError('--mark needs the id of a change', [
      { run: ['history', 'list', '--state', 'open'], rest: 'to see the ids' },
    ]);
  const history = await session.history();
  const { signal } = ui.io;
  const marked = await recording(session, () => markRecords(history, id, state, { signal }));
  const what = marked.length === 1 ? (marked[0]?.id ?? id) : `${marked.length} changes of ${id}`;
  noticeDone(ui, `Marked ${what} as ${mark}`);
  if (!ui.json) return undefined;
  const summaries = marked.map((record) => recordSummary(record));
  printJson(ui, marked.length === 1 ? summaries[0] : summaries);
}
