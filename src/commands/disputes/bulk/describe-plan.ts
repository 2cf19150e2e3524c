import { minIdLength, shortenId } from '../../../cli/command/short-id.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import { describeCounts } from '../../../cli/operation/run/bulk.ts';
import type { Style } from '../../../cli/output/style.ts';
import { alignLines, truncateText, wrapText } from '../../../cli/output/wrap.ts';
import type { PlannedRow } from './plan.ts';

/** The words for a row in the plan and in results, and the exit code that it leads to. */
const outcomes: Readonly<Record<PlannedRow['plan'], readonly [word: string, exitCode: ExitCode]>> = {
  decide: ['decide', exitCodes.done],
  applied: ['decided', exitCodes.done],
  unchanged: ['already decided', exitCodes.done],
  recorded: ['decided in an earlier run', exitCodes.done],
  repeated: ['repeated', exitCodes.done],
  conflict: ['conflict', exitCodes.conflict],
  not_found: ['not found', exitCodes.notFound],
  rejected: ['rejected', exitCodes.rejected],
  invalid: ['invalid', exitCodes.usage],
  unknown: ['unknown', exitCodes.unknown],
  skipped: ['skipped', exitCodes.done],
  not_sent: ['not sent', exitCodes.done],
};

export function describeOutcome(outcome: PlannedRow['plan']): string {
  return outcomes[outcome][0];
}

export function exitCodeOf(outcome: PlannedRow['plan']): ExitCode {
  return outcomes[outcome][1];
}

function isBad({ plan }: PlannedRow): boolean {
  return exitCodeOf(plan) !== exitCodes.done;
}

/** The rows that cannot be decided after the others. */
export function badLast(rows: readonly PlannedRow[]): PlannedRow[] {
  return [...rows.filter((row) => !isBad(row)), ...rows.filter(isBad)];
}

/** In a pipe or a log. A terminal may have less room. */
const maxResolutionWidth = 80;

const header = ['LINE', 'PLAN', 'DISPUTE', 'STATUS', 'RESOLUTION OR REASON'];

/**
 * The rows of the plan that no earlier run decided, one line each; empty if there are none. A terminal shows ids by their
 * beginning and cuts long resolutions.
 */
export function describeRows(all: readonly PlannedRow[], { width }: Style): string {
  const shown = all.filter(({ plan }) => plan !== 'recorded');
  // In a terminal, the pager shows a long plan from its beginning.
  const rows =
    width === null ? badLast(shown) : [...shown.filter(isBad), ...shown.filter((row) => !isBad(row))];
  if (rows.length === 0) return '';
  const ids = rows.filter(({ before }) => before !== null).map(({ disputeId }) => disputeId ?? '');
  const maxIdWidth = Math.max(minIdLength, ...ids.map((id) => shortenId(id, ids).length));
  const cells = rows.map((row) => [
    String(row.line),
    describeOutcome(row.plan),
    printable((row.disputeId ?? '').slice(0, width === null ? undefined : maxIdWidth)),
    printable(row.decision?.status ?? ''),
    printableInOneLine(detailsOf(row)),
  ]);
  return alignLines([header, ...cells], width, (index) => rows[index - 1]?.plan !== 'decide');
}

function detailsOf({ plan, decision, message, warning }: PlannedRow): string {
  if (plan !== 'decide' || decision === null) return message;
  const resolution = truncateText(decision.resolution.replace(/\s+/g, ' ').trim(), maxResolutionWidth);
  return warning === null ? resolution : `(see the warning) ${resolution}`;
}

/** Warnings and totals of the plan. */
export function describeTotals(rows: readonly PlannedRow[], { color, width }: Style): string {
  const doubtful = rows.filter(({ warning }) => warning !== null);
  const warnings = [...new Set(doubtful.map(({ warning }) => warning))].map((warning) => {
    const lines = doubtful.filter((row) => row.warning === warning).map(({ line }) => line);
    const text = `Warning: line ${lines.join(', ')}: ${printable(warning ?? '')}`;
    return color.yellow(width === null ? text : wrapText(text, width));
  });
  return [...warnings, summarize(rows.map(({ plan }) => plan))].join('\n');
}

const toDecide = 'to decide';

/** `195 to decide, 2 conflicts, 3 invalid`. */
export function summarize(plans: readonly PlannedRow['plan'][]): string {
  const counted = plans.map((plan) => (plan === 'decide' ? toDecide : describeOutcome(plan)));
  const totals = describeCounts(counted, [toDecide, ...Object.values(outcomes).map(([word]) => word)]);
  return totals.replace(/\b(?!1 )(\d+ conflict)\b/, '$1s');
}
