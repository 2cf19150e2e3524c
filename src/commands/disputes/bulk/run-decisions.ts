import type { Context } from '../../../cli/command/context.ts';
import { chosenFields } from '../../../cli/command/print-json.ts';
import { startProgress } from '../../../cli/command/progress.ts';
import { CliError, cancelledError } from '../../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import {
  concernsOneItem,
  mostSevereExitCode,
  rephraseForBatch,
  withGrace,
} from '../../../cli/operation/run/bulk.ts';
import { isOutputWritten, markReported } from '../../../cli/operation/run/mark-reported.ts';
import { noticeDone } from '../../../cli/operation/run/print-result.ts';
import type { Performed, Run } from '../../../cli/operation/run/run.ts';
import { perform } from '../../../cli/operation/run/send.ts';
import { answerBody } from '../../../cli/output/record-summary.ts';
import { renderJson } from '../../../cli/output/style.ts';
import { parseKey } from '../../../contract/api-key.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import { badLast, describeOutcome, exitCodeOf, summarize } from './describe-plan.ts';
import { assessRow, outcomeOfError, type PlannedRow, pathOf, runOfRow } from './plan.ts';
import { type RowOutcome, type RowResult, shortResult } from './row-result.ts';

/** Everything that {@link decideAll} needs. */
export interface DecisionRun {
  readonly run: Run;
  readonly rows: readonly PlannedRow[];
  /** Status that a dispute must have before the decision. */
  readonly expected: string;
  /** Earlier decisions of this machine, applied or in doubt, by request path. */
  readonly known: ReadonlyMap<string, HistoryRecord>;
  /** Writes the results to `--output-file`. */
  write(document: unknown): void;
}

/**
 * Decides the rows one after the other; records and prints each result. Returns exit 0, or throws after everything is
 * printed: the error that stopped the run, or one that counts the failed rows.
 */
export async function decideAll(decisions: DecisionRun): Promise<ExitCode> {
  const { run, rows } = decisions;
  const { context } = run.ui;
  const results: RowResult[] = [];
  const grace = withGrace(context);
  const patient = { ...decisions, run: { ...run, ui: { ...run.ui, context: grace.context } } };
  const toDecide = rows.filter(({ plan }) => plan === 'decide').length;
  const progress = startProgress(context, toDecide, 'disputes');
  const widths = columnWidths(rows);
  let stop: CliError | null = null;
  try {
    for (const row of badLast(rows)) {
      if (context.io.signal.aborted) stop ??= cancelledError();
      const isUnreached = stop !== null && row.plan === 'decide';
      const { result, fatal }: RowEnd =
        stop === null
          ? await decideRow(patient, row)
          : {
              result: skippedRow(decisions, row, row.message || 'not reached: the run stopped earlier'),
              fatal: null,
            };
      stop ??= fatal;
      results.push(result);
      const shown = isUnreached || isInPlanOnly(context, row) ? null : resultLine(context, result, widths);
      if (row.plan === 'decide') progress.step(shown);
      else if (shown !== null) context.print(shown);
    }
  } finally {
    grace.dispose();
    progress.end();
  }
  results.sort((a, b) => a.line - b.line);
  return endRun(decisions, results, stop);
}

/**
 * Prints the results and their totals. Returns exit 0, or throws the error that stopped the run, or one that counts the
 * failed rows.
 */
export async function endRun(
  { run, write }: Pick<DecisionRun, 'run' | 'write'>,
  results: readonly RowResult[],
  stop: CliError | null,
): Promise<ExitCode> {
  const { context } = run.ui;
  if (context.flags.json) {
    const document = { results: chosenFields(context, results.map(shortResult)) };
    context.print(renderJson(JSON.stringify(document), context.out));
  }
  write({ results });
  // A run that ends with an error has told what it decided, too.
  if (await isOutputWritten(context.io)) await markReported(context);
  const outcomes = results.map(({ outcome }) => outcome);
  const exitCode = mostSevereExitCode(outcomes.map(exitCodeOf));
  const count = outcomes.filter((outcome) => outcome === 'applied').length;
  const areLeft = outcomes.some(isLeft);
  if (stop === null && exitCode === exitCodes.done && count > 0 && !areLeft) {
    const others = summarize(outcomes.filter((outcome) => outcome !== 'applied'));
    const done = `Decided ${count === 1 ? '1 dispute' : `${count} disputes`}`;
    noticeDone(context, `${done}${others === '' ? '' : `, ${others}`}`);
  } else context.notice(summarize(outcomes));
  if (stop === null && areLeft) context.notice('Run the same command again to decide the rest.');
  if (stop !== null) throw stopped(stop, outcomes);
  if (exitCode !== exitCodes.done) throw incomplete(context, results, exitCode);
  return exitCode;
}

export interface RowEnd {
  readonly result: RowResult;
  /** An error that concerns more than this row and stops the run. */
  readonly fatal: CliError | null;
}

/** Reads the dispute again and decides it if the plan still holds. */
async function decideRow(decisions: DecisionRun, row: PlannedRow): Promise<RowEnd> {
  const { run, expected } = decisions;
  const { disputeId, decision } = row;
  if (row.plan !== 'decide' || disputeId === null || decision === null) {
    return { result: skippedRow(decisions, row, row.message), fatal: null };
  }
  let { before } = row;
  try {
    const own = runOfRow(run, disputeId, decision);
    const now = await assessRow(own, decision, expected);
    before = now.before;
    if (now.plan !== 'decide')
      return { result: skippedRow(decisions, { ...row, ...now }, now.message), fatal: null };
    return decidedRow(run, { ...row, before }, await perform(own, { inBatch: true, readAt: now.readAt }));
  } catch (error) {
    return failedRow(run, { ...row, before }, error);
  }
}

/** The end of a row whose decision was applied. */
export function decidedRow(run: Run, row: PlannedRow, { answer, record }: Performed): RowEnd {
  const requestId = record?.answer?.requestId ?? null;
  const done = { after: answer, requestId, operationId: record?.id ?? null };
  return { result: resultOf(run, row, { ...done, outcome: 'applied' }), fatal: null };
}

/** The end of a row that failed. Throws errors that are not for the user. */
export function failedRow(run: Run, row: PlannedRow, error: unknown): RowEnd {
  if (!(error instanceof CliError)) throw error;
  const { exitCode, requestId = null, operationId = null } = error.details;
  const isOwn = concernsOneItem(exitCode);
  const wasSent = error.details.outcome === 'rejected' || error.details.outcome === 'unknown';
  const { plan, message } = outcomeOfError(error);
  const outcome = isOwn || wasSent ? plan : 'not_sent';
  const result = resultOf(run, row, { outcome, message, requestId, operationId });
  return { result, fatal: isOwn ? null : error };
}

/** The result of a row that is not sent, with the earlier request if this machine decided it before. */
function skippedRow({ run, known }: DecisionRun, row: PlannedRow, message: string): RowResult {
  if (row.plan === 'decide') return resultOf(run, row, { outcome: 'not_sent', message });
  const record =
    ['recorded', 'unknown'].includes(row.plan) && row.disputeId !== null
      ? known.get(pathOf(run.target.storeId, row.disputeId))
      : undefined;
  if (record?.state === 'applied' && !record.reported) run.ui.context.applied.push(record);
  return resultOf(run, row, {
    outcome: row.plan,
    message,
    ...(record !== undefined && {
      at: record.answer?.receivedAt ?? record.createdAt,
      after: answerBody(record),
    }),
    requestId: record?.answer?.requestId ?? null,
    operationId: record?.id ?? null,
  });
}

/** The result of a row that was not sent, unless `more` says otherwise. */
export function resultOf({ target, ui }: Run, row: PlannedRow, more: Partial<RowResult>): RowResult {
  const { line, disputeId, decision, message, before } = row;
  const { profile, origin, storeId, secret } = target;
  return {
    at: new Date(ui.context.now()).toISOString(),
    outcome: 'not_sent',
    line,
    disputeId,
    decision,
    before,
    after: null,
    message,
    profile,
    keyId: parseKey(secret)?.id ?? null,
    origin,
    storeId,
    requestId: null,
    operationId: null,
    ...more,
  };
}

/** Rows that were already decided are in the plan or its totals. A terminal shows the plan right above, with all reasons. */
function isInPlanOnly({ canPrompt }: Context, { plan }: PlannedRow): boolean {
  return canPrompt ? plan !== 'decide' : ['recorded', 'unchanged', 'repeated'].includes(plan);
}

type ColumnWidths = Readonly<Record<'line' | 'disputeId' | 'status', number>>;

function columnWidths(rows: readonly PlannedRow[]): ColumnWidths {
  const longest = (textOf: (row: PlannedRow) => string) =>
    Math.max(0, ...rows.map((row) => textOf(row).length));
  return {
    line: longest(({ line }) => String(line)),
    disputeId: longest(({ disputeId }) => disputeId ?? ''),
    status: longest(({ decision }) => decision?.status ?? ''),
  };
}

function resultLine({ flags }: Context, result: RowResult, widths: ColumnWidths): string | null {
  if (flags.json) return null;
  const { line, disputeId, status, outcome, message } = shortResult(result);
  if (flags.quiet) return outcome === 'applied' ? printable(disputeId ?? '') : null;
  const cells = [
    describeOutcome(outcome).padEnd(15),
    `line ${String(line).padEnd(widths.line)}`,
    (disputeId ?? '').padEnd(widths.disputeId),
    (status ?? '').padEnd(widths.status),
    message,
  ];
  return printableInOneLine(cells.join('  ').trimEnd());
}

/** Whether the same command decides the row when it is run again. */
function isLeft(outcome: RowOutcome): boolean {
  return outcome === 'not_sent' || outcome === 'skipped';
}

/** The error that stopped the run, with how far it got. */
function stopped({ details }: CliError, outcomes: readonly RowOutcome[]): CliError {
  const decided = outcomes.filter((outcome) => outcome === 'applied').length;
  const left = outcomes.filter(isLeft).length;
  const again = 'run the same command again to continue';
  const isCancelled = details.code === 'cancelled';
  return new CliError({
    ...details,
    message: `stopped after ${decided} ${decided === 1 ? 'decision' : 'decisions'}, ${left} left: ${rephraseForBatch(details.message)}`,
    hint:
      isCancelled || details.hint === undefined ? again : `${rephraseForBatch(details.hint)}; then ${again}`,
    // "Nothing was sent" would be true of this row only.
    outcome: details.outcome === 'unknown' ? 'unknown' : undefined,
  });
}

/** How many failed rows an error lists. `--output-file` has all of them. */
const maxFailed = 20;

/** In a terminal the error lists the rows: their lines among the results have scrolled away. */
function incomplete({ canPrompt }: Context, results: readonly RowResult[], exitCode: ExitCode): CliError {
  const failed = results.filter(({ outcome }) => exitCodeOf(outcome) !== exitCodes.done);
  const lines = failed.slice(0, canPrompt ? maxFailed : 0).map(({ line, outcome, decision, message }) => {
    const row = outcome === 'conflict' ? `line ${line} (${decision?.status})` : `line ${line}`;
    return `  ${printableInOneLine(`${row}: ${message}`)}`;
  });
  if (canPrompt && failed.length > maxFailed) lines.push(`  … and ${failed.length - maxFailed} more`);
  const conflicts = failed.filter(({ outcome }) => outcome === 'conflict').length;
  const areInDoubt = failed.every(({ outcome }) => outcome === 'unknown');
  const again = 'run the same command again; disputes that are already decided are skipped';
  const hint = areInDoubt
    ? 'run `storectl resume` to settle them, then run the same command again'
    : conflicts === 0
      ? `fix these rows and ${again}`
      : conflicts === failed.length
        ? 'remove these rows from the file; a decision is final'
        : `remove the rows with a conflict (a decision is final), fix the others and ${again}`;
  return new CliError({
    code: 'incomplete',
    exitCode,
    message: [`${failed.length} of ${results.length} rows could not be decided`, ...lines].join('\n'),
    hint,
  });
}
