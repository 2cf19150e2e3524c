import type { JsonObject } from '../../../base/json.ts';
import { valueAt } from '../../../base/json.ts';
import type { CommandCall, CommandResult } from '../../../cli/command/command-definition.ts';
import { optionValue } from '../../../cli/core/parsed-command.ts';
import { joined, line, type Printable } from '../../../cli/core/sanitize.ts';
import type { InputSteps, OperationInput } from '../../../cli/operation/call/operation-input.ts';
import { type Result, type ResultView, type Run, unchangedResult } from '../../../cli/operation/call/run.ts';
import { confirm } from '../../../cli/operation/confirm.ts';
import { readInput } from '../../../cli/operation/read-input.ts';
import { printDryRun, printResult } from '../../../cli/operation/result/print-result.ts';
import { announce } from '../../../cli/operation/send/announce.ts';
import { refuseEarlier, send } from '../../../cli/operation/send/send.ts';
import { untilAccepted } from '../../../cli/operation/until-accepted.ts';
import { renderRecord, rowsOf } from '../../../cli/output/tables.ts';
import { describeDispute } from './case-file.ts';
import {
  type CurrentDispute,
  compareDecision,
  expectStatus,
  readDispute,
  remarkOn,
  unexpectedStatus,
} from './dispute-status.ts';

/** Decides one dispute: shows it, asks for what is missing, and for the confirmation. */
export async function decideOne(
  call: CommandCall,
  input: OperationInput,
  steps: Pick<InputSteps, 'offersAll'> = {},
): Promise<CommandResult | undefined> {
  const run = await readInput(call, input, { ...steps, introduce: introduceDispute });
  if (call.session.flags.dryRun)
    return printDryRun(run, {
      note: dryRunNote(run),
      preview: async () => describeDispute((await readDispute(run)).response, run.ui.err),
    });
  await announce(run);
  const result = await untilAccepted(run, () => confirmAndDecide(run, { isShown: run.questions !== null }));
  return printResult(run, decidedView, result);
}

const decidedView: ResultView = {
  done: (_, { request: { parameters, body } }) =>
    `Decided dispute ${parameters.disputeId} as ${String(body?.status)}`,
  show: ({ response, record }, run) =>
    record === null
      ? []
      : [
          ['Status', `${expectedStatus(run)} → ${String(valueAt(response, ['status']))}`],
          ['Resolution', String(valueAt(response, ['resolution']))],
        ],
};

/** Shows the dispute before the questions, and refuses one that cannot be decided. */
async function introduceDispute(run: Run): Promise<void> {
  // An earlier decision in doubt is settled by reading, or refuses this one.
  await refuseEarlier(run, {});
  const dispute = await readDispute(run);
  showCaseFile(run, dispute);
  const expected = expectedStatus(run);
  if (dispute.record.status !== expected) throw unexpectedStatus(dispute, expected);
}

/** What a dry run of one or many decisions leaves out. */
export function dryRunNote(run: Run): Printable {
  return line`Without --dry-run, each dispute is read right before its decision, and decided only if it is ${expectedStatus(run)}.`;
}

export function showCaseFile({ ui }: Run, { response }: CurrentDispute): void {
  ui.notice(joined([describeDispute(response, ui.err), line``], '\n'));
}

export function expectedStatus({ parsed }: Run): string {
  return optionValue(parsed, expectStatus) ?? 'open';
}

/**
 * Asks for the confirmation of a decision, and sends it. The dispute is read again, because it may have changed while the user
 * answered questions. `isShown`: its case file is on the screen, and Escape goes back to the questions. `isPlanned`: it is what the
 * user has planned for all, and has been confirmed by a key.
 */
export async function confirmAndDecide(
  run: Run,
  { isShown, isPlanned = false }: { readonly isShown: boolean; readonly isPlanned?: boolean },
): Promise<Result> {
  const { ui } = run;
  const { body } = run.request;
  if (!isShown) await refuseEarlier(run, {});
  const dispute = await readDispute(run);
  const expected = expectedStatus(run);
  const decision = { status: body?.status, resolution: body?.resolution };
  const comparison = compareDecision(dispute, decision, expected);
  if (comparison === 'same') {
    ui.notice(line`Already decided as ${String(body?.status)}; nothing was sent.`);
    return unchangedResult(dispute.record);
  }
  if (comparison === 'conflict') throw unexpectedStatus(dispute, expected, body?.status);
  if (!isPlanned) await confirmDecision(run, dispute, isShown);
  return send(run, { readAt: dispute.readAt, replaced: replacedStatusOf(dispute) });
}

async function confirmDecision(run: Run, dispute: CurrentDispute, isShown: boolean): Promise<void> {
  const { ui } = run;
  const { body, parameters } = run.request;
  const decision = { status: body?.status, resolution: body?.resolution };
  const remark = remarkOn(decision.status);
  const asked = ui.canAsk ? [renderRecord(rowsOf(decision), ui.err)] : [];
  if (remark !== null) asked.push(ui.err.color.yellow(line`Warning: ${remark}.`));
  const parts = [describeDispute(dispute.response, ui.err), ...asked].map((part) =>
    joined([part, line``], '\n'),
  );
  await confirm(run, {
    question: `Decide this dispute as ${String(body?.status)}? This is final.`,
    id: parameters.disputeId ?? '',
    shown: joined(isShown ? asked : parts, '\n'),
    alwaysShow: true,
    hasQuestions: isShown,
  });
}

/** What a decision replaces, for its record. */
export function replacedStatusOf({ record: { status } }: CurrentDispute): JsonObject {
  return { status };
}
