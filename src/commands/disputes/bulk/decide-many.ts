import type { Context } from '../../../cli/command/context.ts';
import { inputNeeded } from '../../../cli/command/input-needed.ts';
import { chosenFields } from '../../../cli/command/print-json.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { describeFile, readText } from '../../../cli/input/input-files.ts';
import {
  mostSevereExitCode,
  startBatch,
  withBatchLock,
  withResultsFile,
} from '../../../cli/operation/run/bulk.ts';
import { mismatch, wrongConfirmation } from '../../../cli/operation/run/confirm.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { announce } from '../../../cli/operation/run/send.ts';
import { upperFirst } from '../../../cli/output/labels.ts';
import { renderJson } from '../../../cli/output/style.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { expectStatus } from '../dispute-status.ts';
import { decideByHand } from './decide-by-hand.ts';
import { parseDecisions, parseIds } from './decisions-file.ts';
import { describeRows, describeTotals, exitCodeOf } from './describe-plan.ts';
import { earlierDecisions, type PlannedRow, planDecisions } from './plan.ts';
import { decideAll } from './run-decisions.ts';

/**
 * Records the decisions of a file: shows the plan, asks once for confirmation, and reads each dispute again right before
 * deciding it. Bad rows are reported and skipped; the first unknown outcome, and any error that concerns all rows, stops
 * the run. The history records every decision, so that a later run can continue.
 */
export async function decideMany(
  context: Context,
  parsed: ParsedCommand,
  from: string,
): Promise<ExitCode | undefined> {
  const text = await readText(context, from, '--from');
  const onlyIds = parseIds(text, describeFile(from));
  if (onlyIds !== null) return decideByHand(context, parsed, onlyIds);
  const file = parseDecisions(text, describeFile(from));
  const ids = file.rows.map(({ disputeId }) => disputeId);
  const run = await startBatch(context, decideDispute, []);
  if (file.ignored.length > 0) {
    context.notice(
      `Ignored columns: ${file.ignored.map(printable).join(', ')} (only disputeId, status and resolution are sent).`,
    );
  }
  const expected = optionValue(parsed, expectStatus) ?? 'open';
  if (context.flags.dryRun) {
    const known = await earlierDecisions(run, ids, false);
    return printPlan(run, await planDecisions(run, file, expected, known));
  }
  await announce(run);
  return withResultsFile(context, parsed, (write) =>
    withBatchLock(run, async () => {
      const known = await earlierDecisions(run, ids, true);
      const rows = await planDecisions(run, file, expected, known);
      showRows(context, rows);
      if (rows.some(({ plan }) => plan === 'decide'))
        context.notice(`\n${describeTotals(rows, context.err)}\n`);
      await confirmCount(context, parsed, rows);
      return decideAll({ run, rows, expected, known, write });
    }),
  );
}

/** A long plan goes through the pager, which only data on stdout does. */
function showRows(context: Context, rows: readonly PlannedRow[]): void {
  const print = context.canPrompt ? context.print : context.notice;
  const table = describeRows(rows, context.canPrompt ? context.out : context.err);
  if (table !== '') print(table);
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
  } else if (context.canPrompt) {
    // Below what the pager shows.
    showRows(context, rows);
    context.notice(`\n${describeTotals(rows, context.err)}`);
  } else {
    const parts = [describeRows(rows, context.out), describeTotals(rows, context.out)];
    context.print(parts.filter((part) => part !== '').join('\n\n'));
  }
  context.notice('dry run: nothing was sent');
  return mostSevereExitCode(rows.map(({ plan }) => exitCodeOf(plan)));
}

/**
 * Asks the user to type the number of decisions, unless `--confirm N` gives it. When continuing an earlier
 * run, its number is accepted as well.
 */
async function confirmCount(
  context: Context,
  parsed: ParsedCommand,
  rows: readonly PlannedRow[],
): Promise<void> {
  const count = rows.filter(({ plan }) => plan === 'decide').length;
  if (count === 0) return;
  const done = rows.filter(({ plan }) => ['recorded', 'unchanged', 'unknown'].includes(plan)).length;
  const isContinued = rows.some(({ plan }) => plan === 'recorded' || plan === 'unknown');
  const skipped = rows.filter(({ plan }) => exitCodeOf(plan) !== exitCodes.done).length;
  const bad = skipped === 1 ? '1 bad row' : `${skipped} bad rows`;
  const what = `record ${count} ${count === 1 ? 'decision' : 'decisions'}${skipped === 0 ? '' : ` and skip ${bad}`}`;
  const given = optionValue(parsed, '--confirm');
  if (given !== undefined) {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (number >= count && number <= count + (isContinued ? done : 0)) return;
    throw wrongConfirmation(given, String(count));
  }
  if (!context.canPrompt) {
    throw inputNeeded([
      {
        field: 'confirm',
        give: `--confirm ${count}`,
        description: `to ${what}; decisions are final`,
      },
    ]);
  }
  const { askText } = await import('../../../cli/prompts/prompts.ts');
  const { askFirst } = await import('../../../cli/prompts/questions.ts');
  const validate = (text: string) => text.trim() === String(count) || mismatch;
  const question = `${upperFirst(what)}? This is final. Type ${count} to confirm`;
  await askFirst(() => askText(context.io, question, { validate, isConfirmation: true }));
}
