import { CliError } from '../../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import { getPath } from '../../../cli/core/field-path.ts';
import { isObject } from '../../../cli/core/json-value.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import { concernsOneItem, forEachAtOnce } from '../../../cli/operation/run/bulk.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { sendOptions } from '../../../cli/operation/run/send.ts';
import type { Style } from '../../../cli/output/style.ts';
import { renderTable } from '../../../cli/output/tables.ts';
import { buildPath } from '../../../contract/operation.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { isOpen } from '../../../history/records/outline.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import { resumeRecord } from '../../../history/sending/resume.ts';
import { describeOtherwise, judgeDispute, readDispute, unusualStatus } from '../dispute-status.ts';
import { type Decision, type DecisionsFile, isSameDecision } from './decisions-file.ts';
import type { EarlierLine, RowOutcome } from './receipt.ts';

/** What is to be done about a row: `decide`, or it is clear already what becomes of it. */
export interface PlannedRow {
  readonly line: number;
  readonly disputeId: string | null;
  readonly decision: Decision | null;
  readonly plan: 'decide' | RowOutcome;
  /** Why it is not decided, for people; empty where it is. */
  readonly message: string;
  /** What makes one look twice at a row that is to be decided, or null. */
  readonly warning: string | null;
  /** The dispute record as it was read, or null. */
  readonly before: Record<string, unknown> | null;
}

/** Disputes that are read at the same time. */
const readsAtOnce = 4;

/** The run that reads and decides the dispute of one row. */
export function runOfRow(run: Run, disputeId: string, decision: Decision): Run {
  const { status, resolution } = decision;
  return { ...run, request: { ...run.request, parameters: { disputeId }, body: { status, resolution } } };
}

/**
 * Reads every dispute of the file and says what is to be done about each row, in the order of the file. A dispute that
 * cannot be read is a row of its own; anything that concerns all of them (no connection, no key) is thrown.
 */
export async function planDecisions(
  run: Run,
  file: DecisionsFile,
  earlier: readonly EarlierLine[],
  expected: string,
  onRead: () => void,
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
  const { signal } = run.ui.context.io;
  await forEachAtOnce(file.rows, readsAtOnce, async ({ line, disputeId, ...decision }) => {
    const found = await lookAt(runOfRow(run, disputeId, decision), decision, expected);
    const recorded = earlierLine(earlier, disputeId, decision);
    planned.push({ line, disputeId, decision, ...judgeAgain(found, decision, recorded) });
    if (!signal.aborted) onRead();
  });
  return planned.sort((a, b) => a.line - b.line);
}

/** Reads the dispute of a row, and says what is to be done about it. */
export async function lookAt(
  run: Run,
  decision: Decision,
  expected: string,
): Promise<Pick<PlannedRow, 'plan' | 'message' | 'before'>> {
  try {
    const dispute = await readDispute(run);
    const before = dispute.record;
    const verdict = judgeDispute(dispute, decision, expected);
    if (verdict === 'decide') return { plan: 'decide', message: '', before };
    if (verdict === 'already') return { plan: 'unchanged', message: 'it is decided so already', before };
    return { plan: 'conflict', message: describeOtherwise(dispute, expected), before };
  } catch (error) {
    if (!(error instanceof CliError) || !concernsOneItem(error.details.exitCode)) throw error;
    return { ...outcomeOfError(error), before: null };
  }
}

/** The outcome of a row whose dispute or decision the service refused. */
export function outcomeOfError({ details }: CliError): { plan: RowOutcome; message: string } {
  const outcomes: Partial<Record<ExitCode, RowOutcome>> = {
    [exitCodes.notFound]: 'not_found',
    [exitCodes.conflict]: 'conflict',
    [exitCodes.unknown]: 'unknown',
  };
  return { plan: outcomes[details.exitCode] ?? 'rejected', message: details.message };
}

type Found = Awaited<ReturnType<typeof lookAt>>;

/**
 * What was found about a row in the light of the receipt. The store may have been restored since: what the receipt calls
 * decided is only left alone where it still is.
 */
function judgeAgain(
  found: Found,
  { status }: Decision,
  recorded: EarlierLine | undefined,
): Found & Pick<PlannedRow, 'warning'> {
  if (found.plan === 'decide') {
    const again = 'decided by an earlier run, and no longer so: was the store restored?';
    return { ...found, warning: recorded === undefined ? unusualStatus(status) : again };
  }
  const { before } = found;
  const isStillSo =
    recorded !== undefined &&
    before !== null &&
    ['status', 'resolution'].every((name) => before[name] === getPath(recorded.after, [name]));
  if (!isStillSo) return { ...found, warning: null };
  return { plan: 'recorded', message: 'an earlier run with this receipt decided it', before, warning: null };
}

/** The line of the receipt by which an earlier run made this decision. */
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
 * Settles by reading what an earlier run that was killed has left open for these disputes. Returns the decisions that
 * this machine is known to have recorded then, by request path.
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
  const decided = new Map<string, HistoryRecord>();
  for (const found of records.filter(({ path }) => paths.has(path))) {
    const options = { ...sendOptions(context), history, client, record: found, origin, storeId };
    const record = isOpen(found) ? (await resumeRecord(options)).record : found;
    if (record.state === 'applied') decided.set(record.path, record);
  }
  return decided;
}

/** Words of the plan for people. */
const words: Readonly<Record<PlannedRow['plan'], string>> = {
  decide: 'decide',
  applied: 'decided',
  unchanged: 'already so',
  recorded: 'done before',
  conflict: 'CONFLICT',
  not_found: 'NOT FOUND',
  rejected: 'REFUSED',
  invalid: 'INVALID',
  unknown: 'UNKNOWN',
  not_sent: 'not sent',
};

export function describeOutcome(outcome: PlannedRow['plan']): string {
  return words[outcome];
}

/** The plan as a table, and what it amounts to in one line. */
export function describePlan(rows: readonly PlannedRow[], style: Style): string {
  const table = renderTable(
    ['line', 'plan', 'dispute', 'decision', 'note'],
    rows.map(({ line, plan, disputeId, decision, message, warning }) => [
      String(line),
      words[plan],
      printable(disputeId ?? ''),
      decision === null ? '' : printable(`${decision.status}: ${shorten(decision.resolution)}`),
      printableInOneLine(warning === null ? message : 'look twice: see below'),
    ]),
    style,
  );
  const warnings = rows.filter(({ warning }) => warning !== null);
  const doubts = [...new Set(warnings.map(({ warning }) => warning))].map((warning) => {
    const lines = warnings.filter((row) => row.warning === warning).map(({ line }) => line);
    return style.color.yellow(`Warning: line ${lines.join(', ')}: ${printable(warning ?? '')}`);
  });
  return [table, '', ...doubts, summarize(rows.map(({ plan }) => plan))].join('\n');
}

/** `195 decide, 2 NOT FOUND, 3 INVALID`. */
export function summarize(outcomes: readonly PlannedRow['plan'][]): string {
  return (Object.keys(words) as PlannedRow['plan'][])
    .map((plan) => [plan, outcomes.filter((outcome) => outcome === plan).length] as const)
    .filter(([, count]) => count > 0)
    .map(([plan, count]) => `${count} ${words[plan]}`)
    .join(', ');
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** What an outcome of a row means for the exit code. */
export function exitCodeOf(outcome: PlannedRow['plan']): ExitCode {
  if (outcome === 'conflict') return exitCodes.conflict;
  if (outcome === 'not_found') return exitCodes.notFound;
  if (outcome === 'rejected') return exitCodes.rejected;
  if (outcome === 'invalid') return exitCodes.usage;
  return outcome === 'unknown' ? exitCodes.unknown : exitCodes.done;
}
