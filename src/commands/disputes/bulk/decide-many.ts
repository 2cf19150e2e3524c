import path from 'node:path';
import { textAt } from '../../../base/json.ts';
import {
  itemResultOf,
  openHistoryBatch,
  settleEarlier,
  startRun,
} from '../../../cli/batch/change-in-batch.ts';
import { appliedIn, endBatch } from '../../../cli/batch/end-batch.ts';
import { countItems, known, knownResult, makeResult } from '../../../cli/batch/item-result.ts';
import { runBatch } from '../../../cli/batch/run-batch.ts';
import { printPlan, showPlan } from '../../../cli/batch/show-plan.ts';
import type { CommandResult } from '../../../cli/command/command-definition.ts';
import { reportApplied } from '../../../cli/command/command-definition.ts';
import { wrongConfirmation } from '../../../cli/command/input-needed.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { describeFile, readInputText } from '../../../cli/input/input-files.ts';
import { readBody } from '../../../cli/input/request-body.ts';
import { mismatch } from '../../../cli/operation/confirm.ts';
import { announce } from '../../../cli/operation/send/announce.ts';
import { upperFirst } from '../../../cli/output/labels.ts';
import { openOutputFile } from '../../../cli/output/output-file.ts';
import { agrees, askOrFail } from '../../../cli/prompts/ask-or-fail.ts';
import { askOne } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { dryRunNote, replacedStatusOf } from '../dispute/decide-one.ts';
import { remarkOn } from '../dispute/dispute-status.ts';
import { namedColumns } from './columns.ts';
import { type DecisionRow, parseDecisions, withoutRepeated } from './decisions-file.ts';
import { failedRowsFile, writeFailedRows } from './failed-rows.ts';
import { findCases } from './find-cases.ts';
import { assessRow, describeDecisions, planDecisions } from './plan.ts';
import { decisionFields } from './plan-by-hand.ts';
import { documentOfRow, nameOfCase, numberOf, readOwnDecisions, rowWords, runFor } from './rows.ts';

/**
 * Records the decisions of a file: shows the plan, asks once for confirmation, and reads each dispute again right before
 * deciding it. Bad rows are reported and skipped. The history records every decision, so that a later run can continue.
 */
export async function decideMany(
  ui: Ui,
  session: Session,
  parsed: ParsedCommand,
  from: string,
): Promise<CommandResult> {
  const named = namedColumns(parsed);
  const text = await readInputText(session, from, '--from');
  const { body } = await readBody(session, decideDispute, decisionFields, parsed);
  const file = parseDecisions(text, describeFile(from), named, textAt(body, ['resolution']));
  refuseOverwrite(session, parsed, from);
  const run = await startRun(ui, session, parsed, decideDispute);
  const history = await session.history();
  const plan = async () => {
    const found = withoutRepeated(await findCases(run, file.rows));
    return planDecisions(run, found, readOwnDecisions(history));
  };
  if (session.flags.dryRun) {
    const rows = await plan();
    const result = printPlan(ui, describeDecisions(rows), rows.map(planOf));
    ui.notice(dryRunNote(run));
    return result;
  }
  await announce(run);
  const write = openOutputFile(session.io, parsed);
  const planned = await settleEarlier(run, await plan());
  showPlan(ui, describeDecisions(planned));
  const rows = await withoutUnusual(ui, planned);
  const toDecide = rows.filter((row) => row.plan.kind === 'decide');
  await confirmCount(ui, parsed, rows, toDecide.length);
  const end = await runBatch<DecisionRow>(ui, {
    words: rowWords,
    items: rows,
    total: toDecide.length,
    atOnce: 1,
    known: knownResult,
    async open(limits) {
      const batch = await openHistoryBatch(run, limits);
      // Another process may have ended since the plan was made.
      const findOwn = readOwnDecisions(history);
      return {
        async send({ disputeId, status, resolution }) {
          const decision = { status, resolution };
          const own = runFor(run, disputeId, decision);
          const found = await assessRow(own, decision, findOwn);
          if (found.kind === 'known') return found.result;
          const seen = { readAt: found.dispute.readAt, replaced: replacedStatusOf(found.dispute) };
          const recorded = await batch.change({ ...own.request, ...seen });
          return recorded && itemResultOf(own, recorded);
        },
        end: batch.end,
      };
    },
    cells: ({ line, status, ...row }) => [`line ${line}`, nameOfCase(row), status],
    id: ({ disputeId }) => disputeId,
  });
  const document = end.ended.map(({ item, result }) => documentOfRow(item, result, history.journal.store));
  const failedItems = await reportApplied(appliedIn(end.ended), () =>
    writeFailedRows(session, parsed, file, end),
  );
  return endBatch(ui, rowWords, end, { document, write, failedItems });
}

/** In a terminal, rows with a status that the service may not know are decided only if the user wants that. */
async function withoutUnusual(ui: Ui, rows: readonly DecisionRow[]): Promise<readonly DecisionRow[]> {
  const isUnusual = ({ plan, status }: DecisionRow) => plan.kind === 'decide' && remarkOn(status) !== null;
  if (!ui.canAsk || !rows.some(isUnusual)) return rows;
  if (await agrees(ui, 'Include the decisions with an unusual status?')) return rows;
  const plan = known(
    makeResult('failed', {
      code: 'unusual_status',
      exitCode: exitCodes.usage,
      message: 'has an unusual status, and was left out',
    }),
  );
  return rows.map((row) => (isUnusual(row) ? { ...row, plan } : row));
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

/** What `--dry-run --json` prints of a row. */
function planOf(row: DecisionRow) {
  const { line, disputeId, number, status, resolution } = row;
  const { outcome: plan = 'decide', message = '' } = knownResult(row) ?? {};
  return { line, disputeId, ...numberOf({ number }), status, resolution, plan, message };
}

/**
 * Asks the user to type the number of decisions, unless `--confirm N` gives it. When continuing an earlier run, its number
 * is accepted as well.
 */
async function confirmCount(
  ui: Ui,
  parsed: ParsedCommand,
  rows: readonly DecisionRow[],
  count: number,
): Promise<void> {
  if (count === 0) return;
  const known = rows.flatMap((row) => knownResult(row) ?? []);
  const earlier = known.filter(({ record }) => record !== null).length;
  const what = `record ${countItems(count, { one: 'decision', many: 'decisions' })}`;
  const given = optionValue(parsed, '--confirm');
  if (given !== undefined) {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (number >= count && number <= count + earlier) return;
    throw wrongConfirmation(given, String(count));
  }
  const description = `to ${what}; decisions are final; --dry-run shows them`;
  const validate = (text: string) => text.trim() === String(count) || mismatch;
  const question = `${upperFirst(what)}? This is final. Type ${count} to confirm`;
  await askOrFail(ui, [{ field: 'confirm', give: `--confirm ${count}`, description }], ({ askText }) =>
    askOne(() => askText(ui.io, question, { validate, isConfirmation: true })),
  );
}
