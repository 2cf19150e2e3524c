import {
  countItems,
  describeTotals,
  type ItemOutcome,
  type ItemResult,
  knownResult,
  makeResult,
} from '../../../cli/batch/item-result.ts';
import { startProgress } from '../../../cli/batch/progress.ts';
import { forEachConcurrently } from '../../../cli/batch/run-batch.ts';
import type { Plan } from '../../../cli/batch/show-plan.ts';
import { shortenId } from '../../../cli/command/short-id.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { outputFileOption } from '../../../cli/output/output-file.ts';
import type { Style } from '../../../cli/output/style.ts';
import { truncateText } from '../../../cli/output/wrap.ts';
import { assessRow, invalidRow, refuseUnknownStatus } from './assess-row.ts';
import type { DecisionsFile, FileRow } from './decisions-file.ts';
import { type EarlierDecisions, rowWords, runOfRow, words } from './rows.ts';

/** A row of a file, and what to do with it: decide, or nothing because its result is known. */
export interface PlannedRow extends Omit<FileRow, 'refusal'> {
  readonly plan: 'decide' | ItemResult;
  /** A warning about a row that will be decided, or null. */
  readonly warning: string | null;
}

const maxConcurrentReads = 4;

/**
 * Reads every dispute of the file and plans its row, in the order of the file. A dispute that does not exist or is refused
 * affects only its row; errors that concern all rows (no connection, no key) are thrown.
 */
export async function planDecisions(
  run: Run,
  file: DecisionsFile,
  { expected, earlier }: { readonly expected: string; readonly earlier: EarlierDecisions },
): Promise<PlannedRow[]> {
  const { ui, session } = run;
  const planned: PlannedRow[] = [];
  const toRead = file.rows.filter(({ refusal }) => refusal === null).length;
  const progress = startProgress(ui, toRead, 'disputes read');
  await forEachConcurrently(file.rows, maxConcurrentReads, async ({ refusal, ...row }) => {
    const { disputeId, decision } = row;
    if (refusal !== null || disputeId === null || decision === null) {
      const { isRepeated = false, message = '' } = refusal ?? {};
      const plan = isRepeated ? makeResult('skipped', { code: 'repeated', message }) : invalidRow(message);
      planned.push({ ...row, plan, warning: null });
      return;
    }
    const own = earlier.recordOf(disputeId);
    const found = await assessRow(runOfRow(run, disputeId, decision), decision, { expected, own });
    const plan = 'result' in found ? found.result : (refuseUnknownStatus(decision, earlier.made) ?? 'decide');
    const warning = 'warning' in found && plan === 'decide' ? found.warning : null;
    planned.push({ ...row, plan, warning });
    if (!session.io.signal.aborted) progress.step(null);
  }).finally(progress.end);
  return planned.sort((one, other) => one.line - other.line);
}

/** In a pipe or a log. A terminal may have less room. */
const maxResolutionWidth = 80;

/**
 * What is shown before decisions are recorded. A terminal shows the ids of rows that can be decided by their beginning.
 * `failedFile` is where the rows that fail are written to, or null.
 */
export function describeDecisions(
  rows: readonly PlannedRow[],
  { width }: Style,
  failedFile: string | null,
): Plan {
  const decided = rows.filter(({ plan }) => plan === 'decide');
  const whereFailedGo =
    failedFile === null
      ? `To get the rows with errors as a CSV file, add ${outputFileOption.flag} FILE.json: they are written to FILE.failed.csv.`
      : `The rows with errors are written to ${failedFile}.`;
  const shorten = (text: string) => truncateText(text.replace(/\s+/g, ' ').trim(), maxResolutionWidth);
  const ids = rows.map(({ disputeId }) => disputeId ?? '');
  const problems = rows.flatMap((row) => {
    const known = knownResult(row);
    if (known === null || known.outcome === 'exists' || known.outcome === 'skipped') return [];
    const item = [`line ${row.line}`, row.disputeId, row.decision?.status].filter(Boolean).join('  ');
    return [{ item: printableInOneLine(item), reason: known.message }];
  });
  return {
    problems,
    header: ['LINE', 'DISPUTE', 'STATUS', 'RESOLUTION'],
    rows: decided.map(({ line, disputeId, decision, warning }) => [
      String(line),
      printable(width === null ? (disputeId ?? '') : shortenId(disputeId ?? '', ids)),
      printable(decision?.status ?? ''),
      printableInOneLine(
        `${warning === null ? '' : '(see the warning) '}${shorten(decision?.resolution ?? '')}`,
      ),
    ]),
    totals: [
      ...(decided.length === 0 ? [] : [`${countItems(decided.length, words)} to decide`]),
      describeTotals(knownOutcomes(rows), rowWords, { isPlan: true }),
    ]
      .filter(Boolean)
      .join(', '),
    notes: [
      ...rows.flatMap(({ line, warning }) =>
        warning === null ? [] : `Warning: line ${line}: ${printable(warning)}`,
      ),
      ...(knownOutcomes(rows).includes('failed') ? [whereFailedGo] : []),
    ],
  };
}

/** `record 195 decisions and skip 3 rows with errors`. */
export function describeRecording(rows: readonly PlannedRow[]): string {
  const count = rows.filter(({ plan }) => plan === 'decide').length;
  const skipped = knownOutcomes(rows).filter((outcome) => outcome === 'failed' || outcome === 'unknown');
  const skip = skipped.length === 0 ? '' : ` and skip ${describeTotals(skipped, words, { isPlan: true })}`;
  return `record ${countItems(count, { one: 'decision', many: 'decisions' })}${skip}`;
}

function knownOutcomes(rows: readonly PlannedRow[]): ItemOutcome[] {
  return rows.flatMap((row) => knownResult(row)?.outcome ?? []);
}
