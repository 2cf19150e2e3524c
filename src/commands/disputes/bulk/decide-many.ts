import {
  closeEarlierLogs,
  openHistoryBatch,
  resultOfChange,
  startRun,
  withSignal,
} from '../../../cli/batch/change-in-batch.ts';
import { endBatch, withResultsFile } from '../../../cli/batch/end-batch.ts';
import { countItems, makeResult, mostSevereExitCode } from '../../../cli/batch/item-result.ts';
import type { Limits } from '../../../cli/batch/limits.ts';
import { type Channel, resultIn, runBatch } from '../../../cli/batch/run-batch.ts';
import { printPlan, showPlan } from '../../../cli/batch/show-plan.ts';
import type { Context } from '../../../cli/command/context.ts';
import { inputNeeded, wrongConfirmation } from '../../../cli/command/input-needed.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { describeFile, readText } from '../../../cli/input/input-files.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { mismatch } from '../../../cli/operation/send/confirm.ts';
import { announce, changeOptions } from '../../../cli/operation/send/send.ts';
import { upperFirst } from '../../../cli/output/labels.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { resumeRecord } from '../../../history/changes/resume.ts';
import { isInDoubt } from '../../../history/journal/history-record.ts';
import { expectedStatus, formerOf } from '../decide-one.ts';
import { assessRow, fixRows } from './assess-row.ts';
import { decideByHand } from './decide-by-hand.ts';
import { parseDecisions, parseIds } from './decisions-file.ts';
import { addedColumns, writeFailedRows } from './failed-rows.ts';
import { describeDecisions, knownResult, type PlannedRow, planDecisions } from './plan.ts';
import { documentOf, readEarlierDecisions, runOfRow, words } from './rows.ts';

/**
 * Records the decisions of a file: shows the plan, asks once for confirmation, and reads each dispute again right before
 * deciding it. Bad rows are reported and skipped. The history records every decision, so that a later run can continue.
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
  const ignored = file.ignored.filter((name) => !addedColumns.includes(name));
  if (ignored.length > 0) {
    context.notice(
      `Ignored columns: ${ignored.map(printable).join(', ')} (only disputeId, status and resolution are sent).`,
    );
  }
  const run = await startRun(context, parsed, decideDispute);
  const history = await context.history();
  const input = { expected: expectedStatus(run), earlier: readEarlierDecisions(history) };
  if (context.flags.dryRun) return printDryRun(context, await planDecisions(run, file, input));
  await announce(run);
  return withResultsFile(context, parsed, async (write) => {
    const rows = await settleShown(run, await planDecisions(run, file, input));
    const count = rows.filter(({ plan }) => plan === 'decide').length;
    showPlan(context, describeDecisions(rows, context.out), { isAsked: count > 0 });
    await confirmCount(context, parsed, rows, count);
    await closeEarlierLogs(
      history,
      rows.flatMap((row) => knownResult(row)?.record ?? []),
    );
    const end = await runBatch(context, {
      words,
      items: rows,
      total: count,
      atOnce: 1,
      known: knownResult,
      isPlanShown: context.canPrompt,
      open: (limits) => openChannel(run, limits, input),
      cells: ({ line, disputeId, decision }) => [`line ${line}`, disputeId ?? '', decision?.status ?? ''],
      id: ({ disputeId }) => disputeId,
    });
    const results = rows.map((row) => resultIn(end, row));
    const document = rows.map((row, index) =>
      documentOf(row, results[index] ?? makeResult('not_sent'), history.journal.store),
    );
    const advice = writeFailedRows(context, parsed, rows, results);
    return endBatch(context, { words, results, document, stop: end.stop, write, advice });
  });
}

/** Ends the doubt about earlier decisions that the plan has found to be in force. */
async function settleShown(run: Run, rows: readonly PlannedRow[]): Promise<PlannedRow[]> {
  const history = await run.ui.context.history();
  const options = changeOptions(run);
  const settled: PlannedRow[] = [];
  for (const row of rows) {
    const known = knownResult(row);
    if (known?.outcome !== 'exists' || known.record === null || !isInDoubt(known.record)) settled.push(row);
    else {
      const { record } = await resumeRecord(history, known.record.id, options);
      settled.push({ ...row, plan: makeResult('exists', { ...known, record }) });
    }
  }
  return settled;
}

type DecisionInput = Parameters<typeof planDecisions>[2];

async function openChannel(
  run: Run,
  limits: Limits,
  { expected, earlier }: DecisionInput,
): Promise<Channel<PlannedRow>> {
  const batch = await openHistoryBatch(run, limits);
  const patient = withSignal(run, limits.signal);
  return {
    async send({ disputeId, decision }) {
      if (disputeId === null || decision === null) return null;
      const own = runOfRow(patient, disputeId, decision);
      const found = await assessRow(own, decision, { expected, own: earlier.recordOf(disputeId) });
      if ('result' in found) return found.result;
      const { dispute } = found;
      const recorded = await batch.change({
        ...own.request,
        readAt: dispute.readAt,
        former: formerOf(dispute),
      });
      const result = recorded && resultOfChange(own, recorded);
      return result?.outcome === 'failed' ? { ...result, remedy: fixRows } : result;
    },
    end: batch.end,
  };
}

function printDryRun(context: Context, rows: readonly PlannedRow[]): ExitCode {
  if (context.flags.json) {
    const plan = rows.map((row) => ({
      line: row.line,
      disputeId: row.disputeId,
      status: row.decision?.status ?? null,
      plan: knownResult(row)?.outcome ?? 'decide',
      message: knownResult(row)?.message ?? '',
      warning: row.warning,
    }));
    printJson(context, plan);
  } else printPlan(context, describeDecisions(rows, context.out));
  context.notice('dry run: nothing was sent');
  return mostSevereExitCode(rows.map((row) => knownResult(row)?.exitCode ?? exitCodes.done));
}

/**
 * Asks the user to type the number of decisions, unless `--confirm N` gives it. When continuing an earlier run, its number
 * is accepted as well.
 */
async function confirmCount(
  context: Context,
  parsed: ParsedCommand,
  rows: readonly PlannedRow[],
  count: number,
): Promise<void> {
  if (count === 0) return;
  const known = rows.flatMap((row) => knownResult(row) ?? []);
  const done = known.filter(({ outcome }) => outcome === 'exists' || outcome === 'unknown').length;
  const isContinued = known.some(({ record }) => record !== null);
  const skipped = known.filter(({ exitCode }) => exitCode !== exitCodes.done).length;
  const bad = skipped === 1 ? '1 bad row' : `${skipped} bad rows`;
  const decisions = countItems(count, { one: 'decision', many: 'decisions' });
  const what = `record ${decisions}${skipped === 0 ? '' : ` and skip ${bad}`}`;
  const given = optionValue(parsed, '--confirm');
  if (given !== undefined) {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (number >= count && number <= count + (isContinued ? done : 0)) return;
    throw wrongConfirmation(given, String(count));
  }
  if (!context.canPrompt) {
    throw inputNeeded([
      { field: 'confirm', give: `--confirm ${count}`, description: `to ${what}; decisions are final` },
    ]);
  }
  const { askText } = await import('../../../cli/prompts/prompts.ts');
  const { askFirst } = await import('../../../cli/prompts/questions.ts');
  const validate = (text: string) => text.trim() === String(count) || mismatch;
  const question = `${upperFirst(what)}? This is final. Type ${count} to confirm`;
  await askFirst(() => askText(context.io, question, { validate, isConfirmation: true }));
}
