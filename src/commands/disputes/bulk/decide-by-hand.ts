import type { Context } from '../../../cli/command/context.ts';
import { completeKnownIds } from '../../../cli/command/known.ts';
import { CliError, cancelledError, invalidInput } from '../../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { checkParameter } from '../../../cli/input/path-parameter.ts';
import { startBatch, withGrace, withResultsFile } from '../../../cli/operation/run/bulk.ts';
import { markReported } from '../../../cli/operation/run/mark-reported.ts';
import { noticeDone } from '../../../cli/operation/run/print-result.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { announce, settleEarlierDecision } from '../../../cli/operation/run/send.ts';
import { explainKeys } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import { expectedStatus, showCaseFile } from '../decide-one.ts';
import { readDispute } from '../dispute-status.ts';
import { askDecision } from './ask-decision.ts';
import type { Decision } from './decisions-file.ts';
import { earlierDecisions, type PlannedRow, pathOf, sentDecisions, unread } from './plan.ts';
import type { RowResult } from './row-result.ts';
import { decidedRow, endRun, failedRow, type RowEnd, resultOf } from './run-decisions.ts';

/**
 * Goes through the disputes one by one in a terminal: shows each with its evidence, asks for its decision, and records it
 * at once. Disputes that are already decided are not asked for, so the same command continues.
 * Throws exit 3 without a terminal, because nobody can decide there.
 */
export async function decideByHand(
  context: Context,
  parsed: ParsedCommand,
  given: readonly string[],
): Promise<ExitCode> {
  if (given.length === 0) throw invalidInput('no disputes to decide', 'write one id per line');
  if (!context.canPrompt || context.flags.dryRun) throw decisionsNeeded(given.length);
  for (const id of given) checkParameter('<disputeId>', id);
  const ids = [...new Set(await completeKnownIds(context, 'dispute', given))];
  const batch = await startBatch(context, decideDispute, []);
  const grace = withGrace(context);
  const run = { ...batch, ui: { ...batch.ui, context: grace.context, parsed } };
  await announce(run);
  try {
    return await withResultsFile(context, parsed, async (write) => {
      const { found, stop } = await goThrough(run, ids);
      const results = ids.map(
        (disputeId, index) =>
          found.get(index) ?? resultOf(run, rowOf(disputeId, index), { message: 'not reached' }),
      );
      return endRun({ run: batch, write }, results, stop);
    });
  } finally {
    grace.dispose();
  }
}

function decisionsNeeded(count: number): CliError {
  const detail = 'a required column, besides disputeId';
  return new CliError({
    code: 'input_needed',
    exitCode: exitCodes.inputNeeded,
    message: `status and resolution are required for each of ${count} disputes`,
    hint: 'pass them with --from FILE, a CSV file with the columns disputeId,status,resolution, or run the command in a terminal to decide one by one',
    outcome: 'not_sent',
    fields: ['status', 'resolution'].map((field) => ({ field, flag: '--from', detail })),
  });
}

function rowOf(disputeId: string, index: number): PlannedRow {
  return { ...unread, line: index + 1, disputeId, plan: 'decide' };
}

/** Returns the results by index, and the error that stopped the run, or null. */
async function goThrough(
  run: Run,
  ids: readonly string[],
): Promise<{ found: ReadonlyMap<number, RowResult>; stop: CliError | null }> {
  const found = new Map<number, RowResult>();
  const known = await earlierDecisions(run, ids, false);
  const made = await sentDecisions(run);
  let index = 0;
  for (let disputeId = ids[0]; disputeId !== undefined; disputeId = ids[index]) {
    const done = found.get(index);
    if (done !== undefined && done.outcome !== 'skipped') {
      index += 1;
      continue;
    }
    const skipped = [...found].filter(([at, { outcome }]) => at < index && outcome === 'skipped');
    const previous = skipped.at(-1)?.[0] ?? null;
    const place = { title: `${index + 1} of ${ids.length}`, canGoBack: previous !== null };
    const end = await decideRow(run, rowOf(disputeId, index), { place, made, known });
    if (end === null) {
      index = previous ?? index;
      continue;
    }
    const { result, fatal } = end;
    found.set(index, result);
    if (result.decision !== null && result.outcome === 'applied') made.unshift(result.decision);
    await markReported(run.ui.context);
    const isCancelled = run.ui.context.io.signal.aborted;
    if (fatal !== null || isCancelled) return { found, stop: fatal ?? cancelledError() };
    index += 1;
  }
  return { found, stop: null };
}

interface Deciding {
  readonly place: { readonly title: string; readonly canGoBack: boolean };
  /** The decisions of this machine, newest first. */
  readonly made: readonly Decision[];
  /** The same, by path. */
  readonly known: ReadonlyMap<string, HistoryRecord>;
}

/** Null if the user goes back to the previous dispute. */
async function decideRow(
  run: Run,
  row: PlannedRow,
  { place, made, known }: Deciding,
): Promise<RowEnd | null> {
  const { context } = run.ui;
  const disputeId = row.disputeId ?? '';
  const own = { ...run, request: { ...run.request, parameters: { disputeId } } };
  try {
    await settleEarlierDecision(own);
    const dispute = await readDispute(own);
    const before = dispute.record;
    if (before.status !== expectedStatus(own)) {
      const isOurs = known.get(pathOf(run.target.storeId, disputeId))?.state === 'applied';
      const message = `already ${String(before.status)}`;
      const outcome = isOurs ? ('recorded' as const) : ('unchanged' as const);
      if (!isOurs) context.notice(`${place.title}: dispute ${disputeId} is ${message}`);
      return { result: resultOf(run, { ...row, before }, { outcome, message }), fatal: null };
    }
    context.notice(`\n${context.err.color.bold(place.title)}`);
    showCaseFile(own, dispute);
    explainKeys(context);
    const answer = await askDecision(own, { ...place, disputeId, earlier: made });
    if (answer === 'back') return null;
    if (answer === 'skip')
      return { result: resultOf(run, { ...row, before }, { outcome: 'skipped' }), fatal: null };
    const { decision, performed } = answer;
    const decided = { ...row, before, decision };
    if (performed.record === null)
      return { result: resultOf(run, decided, { outcome: 'unchanged' }), fatal: null };
    if (context.flags.quiet) context.print(disputeId);
    else noticeDone(context, `Decided dispute ${disputeId} as ${decision.status} (${place.title})`);
    return decidedRow(run, decided, performed);
  } catch (error) {
    const end = failedRow(run, row, error);
    if (end.fatal === null) context.notice(context.err.color.yellow(`${place.title}: ${end.result.message}`));
    return end;
  }
}
