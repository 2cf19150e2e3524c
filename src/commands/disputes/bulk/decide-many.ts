import path from 'node:path';
import {
  closeEarlierLogs,
  openHistoryBatch,
  resultOfChange,
  startRun,
  withSignal,
} from '../../../cli/batch/change-in-batch.ts';

import { appliedIn, endBatch } from '../../../cli/batch/end-batch.ts';
import { knownResult, makeResult, mostSevereExitCode } from '../../../cli/batch/item-result.ts';

import type { Limits } from '../../../cli/batch/limits.ts';
import { type Channel, resultIn, runBatch } from '../../../cli/batch/run-batch.ts';
import { printPlan, showPlan } from '../../../cli/batch/show-plan.ts';
import type { CommandResult } from '../../../cli/command/command-definition.ts';
import { reportApplied } from '../../../cli/command/command-definition.ts';
import { wrongConfirmation } from '../../../cli/command/input-needed.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { describeFile, readText } from '../../../cli/input/input-files.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { mismatch } from '../../../cli/operation/send/confirm.ts';
import { announce, changeOptions } from '../../../cli/operation/send/send-run.ts';
import { upperFirst } from '../../../cli/output/labels.ts';
import { openOutputFile } from '../../../cli/output/output-file.ts';
import { askOrFail } from '../../../cli/prompts/ask-or-fail.ts';
import { askFirst } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { resumeRecord } from '../../../history/changes/resume.ts';
import { isInDoubt } from '../../../history/journal/history-record.ts';
import { expectedStatus, formerOf } from '../decide-one.ts';
import { assessRow, fixRows } from './assess-row.ts';
import { decideByHand } from './decide-by-hand.ts';
import { parseDecisions, parseIds } from './decisions-file.ts';
import { addedColumns, failedRowsFile, writeFailedRows } from './failed-rows.ts';
import { describeDecisions, describeRecording, type PlannedRow, planDecisions } from './plan.ts';
import { documentOfRow, readEarlierDecisions, rowWords, runOfRow } from './rows.ts';

/**
 * Records the decisions of a file: shows the plan, asks once for confirmation, and reads each dispute again right before
 * deciding it. Bad rows are reported and skipped. The history records every decision, so that a later run can continue.
 */
export async function decideMany(
  ui: Ui,
  session: Session,
  parsed: ParsedCommand,
  from: string,
): Promise<CommandResult | undefined> {
  const text = await readText(session, from, '--from');
  const onlyIds = parseIds(text, describeFile(from));
  if (onlyIds !== null) return decideByHand(ui, session, parsed, onlyIds);
  const file = parseDecisions(text, describeFile(from));
  const ignored = file.ignored.filter((name) => !addedColumns.includes(name));
  if (ignored.length > 0) {
    ui.notice(
      `Ignored columns: ${ignored.map(printable).join(', ')} (only disputeId, status and resolution are sent).`,
    );
  }
  refuseOverwrite(session, parsed, from);
  const run = await startRun(ui, session, parsed, decideDispute);
  const history = await session.history();
  const input = { expected: expectedStatus(run), earlier: readEarlierDecisions(history) };
  const describe = (rows: readonly PlannedRow[]) => describeDecisions(rows, ui.out, failedRowsFile(parsed));
  if (session.flags.dryRun) {
    const rows = await planDecisions(run, file, input);
    printPlan(ui, describe(rows), rows.map(planOf));
    return { exitCode: mostSevereExitCode(rows.map((row) => knownResult(row)?.exitCode ?? exitCodes.done)) };
  }
  await announce(run);
  const write = openOutputFile(session.io, parsed);
  const rows = await settleShown(run, await planDecisions(run, file, input));
  const count = rows.filter(({ plan }) => plan === 'decide').length;
  showPlan(ui, describe(rows), { isAsked: count > 0 });
  await confirmCount(ui, parsed, rows, count);
  await closeEarlierLogs(history, rows);
  const end = await runBatch<PlannedRow>(ui, {
    words: rowWords,
    items: rows,
    total: count,
    atOnce: 1,
    known: knownResult,
    isPlanShown: ui.canAsk,
    open: (limits) => openChannel(run, limits, input.expected),
    cells: ({ line, disputeId, decision }) => [`line ${line}`, disputeId ?? '', decision?.status ?? ''],
    id: ({ disputeId }) => disputeId,
  });
  const results = rows.map((row) => resultIn(end, row));
  const document = rows.map((row) => documentOfRow(row, resultIn(end, row), history.journal.store));
  const advice = await reportApplied(appliedIn(results), () =>
    writeFailedRows(
      session,
      parsed,
      rows.map((row) => ({ row, result: resultIn(end, row) })),
    ),
  );
  return endBatch(ui, { words: rowWords, results, document, stop: end.stop, write, advice });
}

/** The rows that fail now must not take the place of those that are being read. */
function refuseOverwrite({ io }: Session, parsed: ParsedCommand, from: string): void {
  const file = failedRowsFile(parsed);
  if (file === null || path.resolve(io.cwd, file) !== path.resolve(io.cwd, from)) return;
  throw usageError(
    `${file}, for the rows that fail, is the file that --from reads`,
    'give --output-file another name',
  );
}

/** Ends the doubt about earlier decisions that the plan has found to be in force. */
async function settleShown(run: Run, rows: readonly PlannedRow[]): Promise<PlannedRow[]> {
  const history = await run.session.history();
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

async function openChannel(run: Run, limits: Limits, expected: string): Promise<Channel<PlannedRow>> {
  const batch = await openHistoryBatch(run, limits);
  // Another process may have ended since the plan was made.
  const earlier = readEarlierDecisions(await run.session.history());
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

/** What `--dry-run --json` prints of a row. */
function planOf(row: PlannedRow) {
  return {
    line: row.line,
    disputeId: row.disputeId,
    status: row.decision?.status ?? null,
    resolution: row.decision?.resolution ?? null,
    plan: knownResult(row)?.outcome ?? 'decide',
    message: knownResult(row)?.message ?? '',
    warning: row.warning,
  };
}

/**
 * Asks the user to type the number of decisions, unless `--confirm N` gives it. When continuing an earlier run, its number
 * is accepted as well.
 */
async function confirmCount(
  ui: Ui,
  parsed: ParsedCommand,
  rows: readonly PlannedRow[],
  count: number,
): Promise<void> {
  if (count === 0) return;
  const known = rows.flatMap((row) => knownResult(row) ?? []);
  const done = known.filter(({ outcome }) => outcome === 'exists' || outcome === 'unknown').length;
  const isContinued = known.some(({ record }) => record !== null);
  const what = describeRecording(rows);
  const given = optionValue(parsed, '--confirm');
  if (given !== undefined) {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (number >= count && number <= count + (isContinued ? done : 0)) return;
    throw wrongConfirmation(given, String(count));
  }
  const isWrong = known.some(({ outcome }) => outcome === 'failed');
  const list = isWrong ? '; --dry-run lists the rows with errors' : '';
  const description = `to ${what}; decisions are final${list}`;
  const validate = (text: string) => text.trim() === String(count) || mismatch;
  const question = `${upperFirst(what)}? This is final. Type ${count} to confirm`;
  await askOrFail(ui, [{ field: 'confirm', give: `--confirm ${count}`, description }], ({ askText }) =>
    askFirst(() => askText(ui.io, question, { validate, isConfirmation: true })),
  );
}
