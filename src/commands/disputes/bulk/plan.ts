import { countItems, describeTotals, knownResult } from '../../../cli/batch/item-result.ts';
import { startProgress } from '../../../cli/batch/progress.ts';
import { forEachConcurrently } from '../../../cli/batch/run-batch.ts';
import type { Plan } from '../../../cli/batch/show-plan.ts';
import { shortenId } from '../../../cli/command/short-id.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import type { Style } from '../../../cli/output/style.ts';
import { truncateText } from '../../../cli/output/wrap.ts';
import { assessRow, type Expected } from './assess-row.ts';
import type { DecisionRow } from './decisions-file.ts';
import { runFor, words } from './rows.ts';

const maxConcurrentReads = 4;

/**
 * Reads the dispute of every row that is to be decided. One that does not exist or is refused affects only its row; errors that
 * concern all rows (no connection, no key) are thrown.
 */
export async function planDecisions(
  run: Run,
  rows: readonly DecisionRow[],
  expected: Expected,
): Promise<DecisionRow[]> {
  const { ui } = run;
  const planned = new Map<DecisionRow, DecisionRow>();
  const toRead = rows.filter(({ plan }) => plan === 'decide');
  const progress = startProgress(ui, toRead.length, 'disputes read');
  await forEachConcurrently(toRead, maxConcurrentReads, async (row) => {
    const found = await assessRow(runFor(run, row.disputeId), row, expected);
    planned.set(row, 'result' in found ? { ...row, plan: found.result } : { ...row, warning: found.warning });
    if (!ui.io.signal.aborted) progress.step();
  }).finally(progress.end);
  return rows.map((row) => planned.get(row) ?? row);
}

/** In a pipe or a log. A terminal may have less room. */
const maxResolutionWidth = 80;

/** What is shown before decisions are recorded. A terminal shows the ids of rows that can be decided by their beginning. */
export function describeDecisions(rows: readonly DecisionRow[], { width }: Style): Plan {
  const decided = rows.filter(({ plan }) => plan === 'decide');
  const known = rows.flatMap((row) => knownResult(row)?.outcome ?? []);
  const ids = rows.map(({ disputeId }) => disputeId);
  return {
    problems: rows.flatMap((row) => {
      const result = knownResult(row);
      if (result === null || result.outcome === 'exists') return [];
      const item = [`line ${row.line}`, row.disputeId, row.status].filter(Boolean).join('  ');
      return [{ item: printableInOneLine(item), reason: result.message }];
    }),
    header: ['LINE', 'DISPUTE', 'STATUS', 'RESOLUTION'],
    rows: decided.map(({ line, disputeId, status, resolution }) => [
      String(line),
      width === null ? disputeId : shortenId(disputeId, ids),
      printable(status),
      truncateText(printableInOneLine(resolution), maxResolutionWidth),
    ]),
    totals: [
      ...(decided.length === 0 ? [] : [`${countItems(decided.length, words)} to decide`]),
      describeTotals(known, words, { isPlan: true }),
    ]
      .filter(Boolean)
      .join(', '),
    notes: rows.flatMap(({ line, warning }) =>
      warning === null ? [] : `Warning: line ${line}: ${printable(warning)}`,
    ),
  };
}

/** `record 195 decisions and skip 3 rows`. */
export function describeRecording(rows: readonly DecisionRow[]): string {
  const count = rows.filter(({ plan }) => plan === 'decide').length;
  const skipped = rows.filter((row) => !['exists', undefined].includes(knownResult(row)?.outcome)).length;
  const skip = skipped === 0 ? '' : ` and skip ${countItems(skipped, { one: 'row', many: 'rows' })}`;
  return `record ${countItems(count, { one: 'decision', many: 'decisions' })}${skip}`;
}
