import { startProgress } from '../../../cli/command/progress.ts';
import { CliError } from '../../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import { getPath, textAt } from '../../../cli/core/field-path.ts';
import { isObject } from '../../../cli/core/json-value.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import { concernsOneItem, describeCounts, forEachConcurrently } from '../../../cli/operation/run/bulk.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { sendOptions } from '../../../cli/operation/run/send.ts';
import type { Style } from '../../../cli/output/style.ts';
import { alignLines, wrapText } from '../../../cli/output/wrap.ts';
import { buildPath } from '../../../contract/operation.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { isOpen } from '../../../history/records/outline.ts';
import { type HistoryRecord, mayHaveBeenApplied } from '../../../history/records/record.ts';
import { resumeRecord } from '../../../history/sending/resume.ts';
import { compareDecision, describeConflict, readDispute, usualStatuses } from '../dispute-status.ts';
import { type Decision, type DecisionsFile, isSameDecision } from './decisions-file.ts';
import type { EarlierLine, RowOutcome } from './receipt.ts';

/** The plan of a row: `decide`, or its outcome if that is already known. */
export interface PlannedRow {
  readonly line: number;
  readonly disputeId: string | null;
  readonly decision: Decision | null;
  readonly plan: 'decide' | RowOutcome;
  /** Why it is not decided; empty if it is. */
  readonly message: string;
  /** A warning about a row that will be decided, or null. */
  readonly warning: string | null;
  /** The dispute record as it was read, or null. */
  readonly before: Record<string, unknown> | null;
}

const maxConcurrentReads = 4;

/** The run that reads and decides the dispute of one row. */
export function runOfRow(run: Run, disputeId: string, decision: Decision): Run {
  const { status, resolution } = decision;
  return { ...run, request: { ...run.request, parameters: { disputeId }, body: { status, resolution } } };
}

/**
 * Reads every dispute of the file and plans its row, in the order of the file. A dispute that does not exist or is refused
 * affects only its row; errors that concern all rows (no connection, no key) are thrown.
 */
export async function planDecisions(
  run: Run,
  file: DecisionsFile,
  earlier: readonly EarlierLine[],
  expected: string,
  known: ReadonlyMap<string, HistoryRecord>,
): Promise<PlannedRow[]> {
  const planned: PlannedRow[] = file.invalid.map(({ line, disputeId, problem }) => ({
    line,
    disputeId,
    decision: null,
    plan: 'invalid',
    message: problem,
    warning: null,
    before: null,
  }));
  const taken = await takenStatuses(run);
  const planRow = async ({ line, disputeId, ...decision }: DecisionsFile['rows'][number]) => {
    const path = buildPath(decideDispute, { storeId: run.target.storeId, disputeId });
    const message = describeDoubt(known.get(path));
    if (message !== null) {
      const row = { line, disputeId, decision, warning: null, before: null };
      planned.push({ ...row, plan: 'unknown', message });
    } else {
      const read = await assessRow(runOfRow(run, disputeId, decision), decision, expected);
      const found = refuseUnknownStatus(read, decision, taken);
      const recorded = earlierLine(earlier, disputeId, decision);
      planned.push({ line, disputeId, decision, ...considerReceipt(found, recorded) });
    }
    if (!run.ui.context.io.signal.aborted) progress.step(null);
  };
  const progress = startProgress(run.ui.context, file.rows.length, 'disputes read');
  await forEachConcurrently(file.rows, maxConcurrentReads, planRow).finally(progress.end);
  return planned.sort((a, b) => a.line - b.line);
}

/** The statuses that the service is known to take: the usual ones, and those of earlier decisions from this machine. */
async function takenStatuses({ target, ui: { context } }: Run): Promise<readonly string[]> {
  const { origin, storeId } = target;
  const history = await context.history();
  const { records } = await history.list({ operation: decideDispute.id, state: 'applied', origin, storeId });
  const sent = records.map(({ body }) => textAt(JSON.parse(body ?? 'null'), ['status']));
  return [...usualStatuses, ...sent.filter((status) => status !== null)];
}

/** A misspelt status in a file would be the final decision of many disputes. */
function refuseUnknownStatus(found: Found, { status }: Decision, taken: readonly string[]): Found {
  if (found.plan !== 'decide' || taken.includes(status)) return { ...found, warning: null };
  return {
    ...found,
    plan: 'invalid',
    message: `the status "${status}" is not one of ${usualStatuses.join(', ')}`,
    warning: `the service may not take "${status}"; if it does, decide one dispute with it first`,
  };
}

/** Why nothing is sent for a dispute while an earlier decision of it may have been applied, or null. */
function describeDoubt(earlier: HistoryRecord | undefined): string | null {
  if (earlier === undefined || !mayHaveBeenApplied(earlier)) return null;
  const { id } = earlier;
  return `an earlier decision may have been applied: settle it with \`storectl resume ${id}\``;
}

/** Reads the dispute of a row and plans it. */
export async function assessRow(
  run: Run,
  decision: Decision,
  expected: string,
): Promise<Pick<PlannedRow, 'plan' | 'message' | 'before'>> {
  try {
    const dispute = await readDispute(run);
    const before = dispute.record;
    const comparison = compareDecision(dispute, decision, expected);
    if (comparison === 'decide') return { plan: 'decide', message: '', before };
    if (comparison === 'same')
      return { plan: 'unchanged', message: `already decided as ${decision.status}`, before };
    return { plan: 'conflict', message: describeConflict(dispute, expected), before };
  } catch (error) {
    if (!(error instanceof CliError) || !concernsOneItem(error.details.exitCode)) throw error;
    return { ...outcomeOfError(error), before: null };
  }
}

/** The outcome of a row whose read or decision failed. */
export function outcomeOfError({ details }: CliError): { plan: RowOutcome; message: string } {
  const outcomes: Partial<Record<ExitCode, RowOutcome>> = {
    [exitCodes.notFound]: 'not_found',
    [exitCodes.conflict]: 'conflict',
    [exitCodes.unknown]: 'unknown',
  };
  return { plan: outcomes[details.exitCode] ?? 'rejected', message: details.message };
}

type Found = Awaited<ReturnType<typeof assessRow>> & Partial<Pick<PlannedRow, 'warning'>>;

/**
 * Combines what was read with the receipt. A row that the receipt calls decided is skipped only if it still is: the store
 * may have been restored since.
 */
function considerReceipt(
  found: Found,
  recorded: EarlierLine | undefined,
): Found & Pick<PlannedRow, 'warning'> {
  const { before, warning = null } = found;
  if (found.plan === 'decide') {
    const again = 'decided by an earlier run but open again: was the store restored?';
    return { ...found, warning: recorded === undefined ? null : again };
  }
  const isStillSo =
    recorded !== undefined &&
    before !== null &&
    ['status', 'resolution'].every((name) => before[name] === getPath(recorded.after, [name]));
  if (!isStillSo) return { ...found, warning };
  return { plan: 'recorded', message: 'decided by an earlier run', before, warning: null };
}

/** The receipt line of an earlier run that made this decision. */
function earlierLine(
  earlier: readonly EarlierLine[],
  disputeId: string,
  decision: Decision,
): EarlierLine | undefined {
  return earlier.findLast(
    (line) =>
      line.outcome === 'applied' &&
      line.disputeId === disputeId &&
      isObject(line.decision) &&
      isSameDecision(decision, {
        status: String(line.decision.status),
        resolution: String(line.decision.resolution),
      }),
  );
}

/**
 * Settles open records of these disputes, left by an interrupted run, by reading. Returns the decisions of this machine
 * that were applied, or are still in doubt, by request path.
 */
export async function settleOpenDecisions(
  run: Run,
  file: DecisionsFile,
): Promise<ReadonlyMap<string, HistoryRecord>> {
  const { context } = run.ui;
  const { origin, storeId, client } = run.target;
  const paths = new Set(file.rows.map(({ disputeId }) => buildPath(decideDispute, { storeId, disputeId })));
  const history = await context.history();
  const { records } = await history.list({ operation: decideDispute.id, origin, storeId });
  const known = new Map<string, HistoryRecord>();
  for (const found of records.filter(({ path }) => paths.has(path))) {
    const options = { ...sendOptions(context), history, client, record: found, origin, storeId };
    const record = isOpen(found) ? (await resumeRecord(options)).record : found;
    const isDecided = record.state === 'applied' && !known.has(record.path);
    if (isDecided || mayHaveBeenApplied(record)) known.set(record.path, record);
  }
  return known;
}

/** The words for a row in the plan and in results. */
const words: Readonly<Record<PlannedRow['plan'], string>> = {
  decide: 'decide',
  applied: 'decided',
  unchanged: 'unchanged',
  recorded: 'done before',
  conflict: 'conflict',
  not_found: 'not found',
  rejected: 'refused',
  invalid: 'invalid',
  unknown: 'unknown',
  not_sent: 'not sent',
};

export function describeOutcome(outcome: PlannedRow['plan']): string {
  return words[outcome];
}

/**
 * The plan, one line a row, then warnings and totals. Rows that an earlier run decided are only counted. A terminal shows
 * ids by their beginning and cuts what does not fit.
 */
export function describePlan(all: readonly PlannedRow[], style: Style): string {
  const rows = all.filter(({ plan }) => plan !== 'recorded');
  const cells = rows.map(({ line, plan, disputeId, decision, message, warning }) => [
    String(line),
    words[plan],
    style.width === null ? printable(disputeId ?? '') : shortId(disputeId),
    plan === 'decide' && decision !== null ? printable(decision.status) : '',
    printableInOneLine(detailsOf(plan, decision, message, warning)),
  ]);
  const table = rows.length === 0 ? '' : `${alignLines([planHeader, ...cells], style.width)}\n`;
  const warnings = all.filter(({ warning }) => warning !== null);
  const doubts = [...new Set(warnings.map(({ warning }) => warning))].map((warning) => {
    const lines = warnings.filter((row) => row.warning === warning).map(({ line }) => line);
    const text = `Warning: line ${lines.join(', ')}: ${printable(warning ?? '')}`;
    return style.color.yellow(style.width === null ? text : wrapText(text, style.width));
  });
  return [table, ...doubts, summarize(all.map(({ plan }) => plan))].filter((text) => text !== '').join('\n');
}

const toDecide = 'to decide';

/** `195 to decide, 2 not found, 3 invalid`. */
export function summarize(outcomes: readonly PlannedRow['plan'][]): string {
  const counted = outcomes.map((outcome) => (outcome === 'decide' ? toDecide : describeOutcome(outcome)));
  return describeCounts(counted, [toDecide, ...Object.values(words)]);
}

const planHeader = ['LINE', 'PLAN', 'DISPUTE', 'STATUS', 'RESOLUTION OR REASON'];

function detailsOf(
  plan: PlannedRow['plan'],
  decision: Decision | null,
  message: string,
  warning: string | null,
): string {
  if (plan !== 'decide' || decision === null) return message;
  const resolution = decision.resolution.replace(/\s+/g, ' ').trim();
  return warning === null ? resolution : `(see the warning) ${resolution}`;
}

/** Enough of an id to tell it apart. */
function shortId(id: string | null): string {
  return printable(id !== null && id.length > 13 ? `${id.slice(0, 12)}…` : (id ?? ''));
}

/** The exit codes of the outcomes that are not 0. */
const exitCodeOfOutcome: Readonly<Partial<Record<PlannedRow['plan'], ExitCode>>> = {
  conflict: exitCodes.conflict,
  not_found: exitCodes.notFound,
  rejected: exitCodes.rejected,
  invalid: exitCodes.usage,
  unknown: exitCodes.unknown,
};

export function exitCodeOf(outcome: PlannedRow['plan']): ExitCode {
  return exitCodeOfOutcome[outcome] ?? exitCodes.done;
}
