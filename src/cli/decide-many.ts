import path from 'node:path';
import { parseKey } from '../contract/api-key.ts';
import { decideDispute } from '../contract/disputes.ts';
import { pathParameterProblem } from '../contract/operation.ts';
import { concernsOneItem, gravestExitCode, withGrace } from './batch.ts';
import { optionValue, type ParsedCommand } from './command.ts';
import { type Context, inputNeeded } from './context.ts';
import {
  describeOutcome,
  describePlan,
  exitCodeOf,
  lookAt,
  outcomeOfError,
  type PlannedRow,
  planDecisions,
  runOfRow,
  settleOpenDecisions,
  summarize,
} from './decision-plan.ts';
import {
  type EarlierLine,
  openReceipt,
  type Receipt,
  type ReceiptLine,
  type RowOutcome,
  readReceipt,
} from './decision-receipt.ts';
import { parseDecisions } from './decisions-file.ts';
import { expectStatus } from './dispute-status.ts';
import { CliError, cancelledError, type ErrorDetails, usageError } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { readText, wrongConfirmation } from './input.ts';
import { announce, type Run } from './operation-command.ts';
import { renderJson } from './output.ts';
import { describeHistoryError, perform } from './perform.ts';
import { startProgress } from './progress.ts';
import { printable } from './sanitize.ts';

/** What became of a row, as `--json` prints it. */
interface RowResult {
  readonly line: number;
  readonly disputeId: string | null;
  readonly status: string | null;
  readonly outcome: RowOutcome;
  readonly message: string;
  readonly requestId: string | null;
  readonly operationId: string | null;
}

/** The requests of a batch wait where the service asks them to: a refused request decided nothing. */
const patient: ParsedCommand = { arguments: {}, options: new Map([['--retry-rate-limited', true]]) };

/**
 * Records the decisions of a file, one after the other: all of it is planned and shown, confirmed once, and each
 * dispute is read again right before it is decided. Bad rows are reported and hold up nothing; the first unknown outcome,
 * and whatever concerns all rows, ends the run. The receipt says what became of each row and lets a later run go on.
 */
export async function decideMany(
  context: Context,
  parsed: ParsedCommand,
  from: string,
): Promise<ExitCode | undefined> {
  const file = parseDecisions(await readText(context.io, from, '--from'), nameOf(from));
  const receiptFile = chooseReceipt(context, parsed, from);
  const run = await prepare(context, parsed);
  const target = { origin: run.connection.origin, storeId: run.connection.storeId };
  if (file.ignored.length > 0) {
    context.notice(
      `not sent: ${file.ignored.map(printable).join(', ')} (only disputeId, status, resolution are)`,
    );
  }
  const expected = optionValue(parsed, expectStatus) ?? 'open';
  if (context.flags.dryRun) {
    const rows = await plan(run, file, readReceipt(receiptFile, target), expected);
    return printPlan(run, rows);
  }
  announce(run);
  const history = await context.history();
  const lock = await history
    .acquire(`batch ${decideDispute.id} ${target.origin} ${target.storeId}`, {
      signal: context.io.signal,
      onWait: () => context.notice('another storectl decides disputes of this store: waiting for it'),
    })
    .catch((error: unknown) => {
      throw context.io.signal.aborted ? cancelledError() : describeHistoryError(error);
    });
  try {
    const earlier = readReceipt(receiptFile, target);
    await settleOpenDecisions(run, file);
    const rows = await plan(run, file, earlier, expected);
    context.notice(`${describePlan(rows, run)}\n`);
    await confirmCount(context, parsed, rows, earlier.length > 0);
    const receipt = openReceipt(receiptFile);
    try {
      return await decideAll(run, rows, expected, receipt, earlier);
    } finally {
      receipt.close();
    }
  } finally {
    lock.release();
  }
}

async function prepare(context: Context, parsed: ParsedCommand): Promise<Run> {
  const connection = await context.connect();
  const problem = pathParameterProblem(connection.storeId);
  if (problem !== null) throw usageError(`--store ${problem}`, 'give the id as the service shows it');
  return {
    context,
    connection,
    operation: decideDispute,
    fields: [],
    parsed: { ...patient, arguments: parsed.arguments },
    parameters: {},
    body: null,
    asked: false,
  };
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** Beside the file, so that running the same command again finds it. */
function chooseReceipt({ io }: Context, parsed: ParsedCommand, from: string): string {
  const given = optionValue(parsed, '--receipt');
  if (given === undefined && from === '-') {
    throw usageError(
      'decisions from standard input need --receipt FILE',
      'the receipt says what was decided, and lets a later run go on',
    );
  }
  return path.resolve(io.cwd, given ?? `${from}.receipt.jsonl`);
}

async function plan(
  run: Run,
  file: ReturnType<typeof parseDecisions>,
  earlier: readonly EarlierLine[],
  expected: string,
): Promise<PlannedRow[]> {
  const progress = startProgress(run.context, file.rows.length, 'disputes read');
  try {
    return await planDecisions(run, file, earlier, expected, () => progress.step(null));
  } finally {
    progress.end();
  }
}

function printPlan(run: Run, rows: readonly PlannedRow[]): ExitCode {
  const { context } = run;
  if (context.flags.json) {
    const document = rows.map(({ line, disputeId, decision, plan, message }) => ({
      line,
      disputeId,
      status: decision?.status ?? null,
      plan,
      message,
    }));
    context.print(renderJson(JSON.stringify({ plan: document }), context.out));
  } else {
    context.print(describePlan(rows, { ...run, context: { ...context, err: context.out } }));
  }
  context.notice('dry run: nothing was sent, and no receipt was written');
  return gravestExitCode(rows.map(({ plan }) => exitCodeOf(plan)));
}

/**
 * Asks once for the number of decisions. `--confirm N` answers beforehand; going on with a receipt, the number that was
 * right at first is still right, since what is done is done.
 */
async function confirmCount(
  context: Context,
  parsed: ParsedCommand,
  rows: readonly PlannedRow[],
  goesOn: boolean,
): Promise<void> {
  const count = rows.filter(({ plan }) => plan === 'decide').length;
  if (count === 0) return;
  const done = rows.filter(({ plan }) => plan === 'recorded' || plan === 'unchanged').length;
  const given = optionValue(parsed, '--confirm');
  if (given !== undefined) {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (number >= count && number <= count + (goesOn ? done : 0)) return;
    throw wrongConfirmation(`${given} decisions`, `makes ${count}`);
  }
  if (!context.canPrompt) {
    throw inputNeeded([
      {
        field: 'confirm',
        give: `--confirm ${count}`,
        description: 'decisions are final: how many are to be made',
      },
    ]);
  }
  const { askText } = await import('./prompts.ts');
  await askText(context.io, `Record ${count} decisions? They are final. Type ${count} to go on`, {
    validate: (text) => text.trim() === String(count) || 'that is not it; Ctrl-C leaves everything as it is',
  });
}

async function decideAll(
  run: Run,
  rows: readonly PlannedRow[],
  expected: string,
  receipt: Receipt,
  earlier: readonly EarlierLine[],
): Promise<ExitCode> {
  const { context } = run;
  const results: RowResult[] = [];
  let stop: CliError | null = null;
  const grace = withGrace(context);
  const progress = startProgress(context, rows.length, 'disputes');
  const finish = (row: PlannedRow, line: ReceiptLine) => {
    const { outcome, message, requestId, operationId } = line;
    const { disputeId, decision } = row;
    results.push({
      line: row.line,
      disputeId,
      status: decision?.status ?? null,
      outcome,
      message,
      requestId,
      operationId,
    });
    progress.step(resultLine(context, results.at(-1)));
    if (outcome === 'recorded' || outcome === 'not_sent' || isWritten(earlier, line)) return;
    receipt.append(line);
  };
  try {
    for (const row of rows) {
      if (context.io.signal.aborted) stop ??= cancelledError();
      if (stop !== null) {
        const open = row.plan === 'decide';
        const outcome = row.plan === 'decide' ? 'not_sent' : row.plan;
        finish(row, lineOf(run, row, { outcome, ...(open && { message: 'the run ended before' }) }));
        continue;
      }
      try {
        const { line, fatal } = await decideRow({ ...run, context: grace.context }, row, expected);
        stop = fatal;
        finish(row, line);
      } catch (error) {
        // What concerns all rows. This one was not decided, unless the receipt is what failed.
        if (!(error instanceof CliError)) throw error;
        stop = error;
        if (results.at(-1)?.line !== row.line) {
          const { message } = error.details;
          finish(row, lineOf(run, row, { outcome: 'not_sent', message }));
        }
      }
    }
  } finally {
    grace.dispose();
    progress.end();
  }
  if (context.flags.json) {
    context.print(renderJson(JSON.stringify({ receipt: receipt.file, results }), context.out));
  }
  const outcomes = results.map(({ outcome }) => outcome);
  context.notice(`${summarize(outcomes)}; receipt: ${receipt.file}`);
  const exitCode = gravestExitCode(outcomes.map(exitCodeOf));
  if (stop !== null) throw stopped(stop, outcomes);
  if (exitCode !== exitCodes.done) throw incomplete(outcomes, exitCode, receipt.file);
  return exitCode;
}

/** Reads the dispute once more, and decides it where that is still to be done. `fatal` ends the run. */
async function decideRow(
  run: Run,
  row: PlannedRow,
  expected: string,
): Promise<{ line: ReceiptLine; fatal: CliError | null }> {
  const { disputeId, decision } = row;
  if (row.plan !== 'decide' || disputeId === null || decision === null) {
    const outcome = row.plan === 'decide' ? 'invalid' : row.plan;
    return { line: lineOf(run, row, { outcome }), fatal: null };
  }
  const own = runOfRow(run, disputeId, decision);
  const now = await lookAt(own, decision, expected);
  const { before, message } = now;
  if (now.plan !== 'decide')
    return { line: lineOf(run, row, { outcome: now.plan, before, message }), fatal: null };
  try {
    const { answer, record } = await perform(own);
    const done = {
      outcome: 'applied' as const,
      before,
      after: answer,
      requestId: record?.answer?.requestId ?? null,
      operationId: record?.id ?? null,
    };
    return { line: lineOf(run, row, done), fatal: null };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { exitCode, requestId = null, operationId = null } = error.details;
    if (!concernsOneItem(exitCode) && exitCode !== exitCodes.unknown) throw error;
    const { plan: outcome, message: reason } = outcomeOfError(error);
    const line = lineOf(run, row, { outcome, before, message: reason, requestId, operationId });
    return { line, fatal: exitCode === exitCodes.unknown ? error : null };
  }
}

function lineOf({ context, connection }: Run, row: PlannedRow, more: Partial<ReceiptLine>): ReceiptLine {
  const { line, disputeId, decision, message, before } = row;
  const { profile, origin, storeId, secret } = connection;
  return {
    at: new Date(context.now()).toISOString(),
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

/** A bad row that a later run finds bad again is written down once. */
function isWritten(earlier: readonly EarlierLine[], line: ReceiptLine): boolean {
  if (line.outcome === 'applied' || line.outcome === 'unknown') return false;
  return earlier.some((old) =>
    (['outcome', 'line', 'disputeId', 'message'] as const).every((name) => old[name] === line[name]),
  );
}

function resultLine({ flags }: Context, result: RowResult | undefined): string | null {
  if (result === undefined || flags.json) return null;
  const { line, disputeId, status, outcome, message } = result;
  if (flags.quiet) return outcome === 'applied' ? printable(disputeId ?? '') : null;
  const what = [`line ${line}`, disputeId, status].filter(Boolean).join('  ');
  return printable(`${describeOutcome(outcome).padEnd(11)}  ${what}${message === '' ? '' : `  ${message}`}`);
}

/** The error that ended the run, and how far it had come. */
function stopped({ details }: CliError, outcomes: readonly RowOutcome[]): CliError {
  const decided = outcomes.filter((outcome) => outcome === 'applied').length;
  const left = outcomes.filter((outcome) => outcome === 'not_sent').length;
  const reason = details.code === 'cancelled' ? 'cancelled' : details.message;
  const hint = 'the same command goes on from the receipt';
  const unknown = details.exitCode === exitCodes.unknown;
  const more: ErrorDetails = {
    ...details,
    // What was decided before is known, so a cancelled run leaves nothing open.
    message: `stopped after ${decided} decisions, ${left} are left: ${reason}`,
    hint: unknown ? `${details.hint}; then ${hint}` : hint,
    outcome: unknown ? 'unknown' : undefined,
  };
  return new CliError(more);
}

function incomplete(outcomes: readonly RowOutcome[], exitCode: ExitCode, receipt: string): CliError {
  const bad = outcomes.filter((outcome) => exitCodeOf(outcome) !== exitCodes.done).length;
  const decided = outcomes.filter((outcome) => outcome === 'applied').length;
  return new CliError({
    code: 'incomplete',
    exitCode,
    message: `${decided} decided, and ${bad} of ${outcomes.length} rows could not be`,
    hint: `${receipt} says which and why; correct them and run the command again`,
  });
}
