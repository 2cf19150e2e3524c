import path from 'node:path';
import type { Context } from '../../../cli/command/context.ts';
import { inputNeeded } from '../../../cli/command/input-needed.ts';
import { chosenFields } from '../../../cli/command/print-json.ts';
import { startProgress } from '../../../cli/command/progress.ts';
import { usageError } from '../../../cli/core/errors.ts';
import type { ExitCode } from '../../../cli/core/exit-codes.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { describeFile, isStandardInput, readText } from '../../../cli/input/input-files.ts';
import { alone, gravestExitCode, startBatch, withResultsFile } from '../../../cli/operation/run/bulk.ts';
import { wrongConfirmation } from '../../../cli/operation/run/confirm.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { announce } from '../../../cli/operation/run/send.ts';
import { renderJson } from '../../../cli/output/style.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { expectStatus } from '../dispute-status.ts';
import { parseDecisions } from './decisions-file.ts';
import { describePlan, exitCodeOf, type PlannedRow, planDecisions, settleOpenDecisions } from './plan.ts';
import { type EarlierLine, openReceipt, readReceipt } from './receipt.ts';
import { decideAll } from './run-decisions.ts';

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
  const file = parseDecisions(await readText(context, from, '--from'), describeFile(from));
  const receiptFile = chooseReceipt(context, parsed, from);
  const run = await startBatch(context, decideDispute, []);
  const target = { origin: run.target.origin, storeId: run.target.storeId };
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
  return withResultsFile(context, parsed, (write) =>
    alone(run, async () => {
      const earlier = readReceipt(receiptFile, target);
      const decided = await settleOpenDecisions(run, file);
      const rows = await plan(run, file, earlier, expected);
      context.notice(`${describePlan(rows, context.err)}\n`);
      await confirmCount(context, parsed, rows, earlier.length > 0);
      const receipt = openReceipt(receiptFile);
      try {
        return await decideAll({ run, rows, expected, receipt, earlier, decided, write });
      } finally {
        receipt.close();
      }
    }),
  );
}

/** Beside the file, so that running the same command again finds it. */
function chooseReceipt({ io }: Context, parsed: ParsedCommand, from: string): string {
  const given = optionValue(parsed, '--receipt');
  if (given === undefined && isStandardInput(from)) {
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
  const progress = startProgress(run.ui.context, file.rows.length, 'disputes read');
  try {
    return await planDecisions(run, file, earlier, expected, () => progress.step(null));
  } finally {
    progress.end();
  }
}

function printPlan(run: Run, rows: readonly PlannedRow[]): ExitCode {
  const { context } = run.ui;
  if (context.flags.json) {
    const document = rows.map(({ line, disputeId, decision, plan, message, warning }) => ({
      line,
      disputeId,
      status: decision?.status ?? null,
      plan,
      message,
      warning,
    }));
    const plan = chosenFields(context, document);
    context.print(renderJson(JSON.stringify({ plan }), context.out));
  } else {
    context.print(describePlan(rows, context.out));
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
  const { askText } = await import('../../../cli/prompts/prompts.ts');
  const { askFirst } = await import('../../../cli/prompts/questions.ts');
  const validate = (text: string) =>
    text.trim() === String(count) || 'that is not it; Ctrl-C leaves everything as it is';
  const what = count === 1 ? 'Record 1 decision? It is final.' : `Record ${count} decisions? They are final.`;
  const question = `${what} Type ${count} to go on`;
  await askFirst(() => askText(context.io, question, { validate }));
}
