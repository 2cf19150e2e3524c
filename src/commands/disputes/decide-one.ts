import type { JsonObject } from '../../base/json.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { apart, joined, line, type Printable } from '../../cli/core/sanitize.ts';
import type { Preview } from '../../cli/operation/call/operation-command.ts';
import {
  type OperationRequest,
  type Result,
  type Run,
  unchangedResult,
} from '../../cli/operation/call/run.ts';
import { confirmById } from '../../cli/operation/send/confirm.ts';
import { refuseEarlier, send } from '../../cli/operation/send/send-run.ts';
import { renderRecord, rowsOf } from '../../cli/output/tables.ts';
import { describeDispute } from './case-file.ts';
import {
  type CurrentDispute,
  compareDecision,
  expectStatus,
  readDispute,
  remarkOn,
  unexpectedStatus,
} from './dispute-status.ts';

/** Shows the dispute before the questions, and refuses one that cannot be decided. */
export async function introduceDispute(run: Run): Promise<void> {
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

export function showCaseFile({ ui }: Run, { answer }: CurrentDispute): void {
  ui.notice(joined([describeDispute(answer, ui.err), line``], '\n'));
}

export function expectedStatus({ parsed }: Run): string {
  return optionValue(parsed, expectStatus) ?? 'open';
}

/** Asks for the confirmation of a decision whose case file is on the screen. Escape goes back to the questions. */
export async function confirmAndDecide(run: Run): Promise<Result> {
  const { ui, request } = run;
  const { text = line``, changesNothing, send } = await previewDecision(run, true);
  ui.notice(changesNothing ? text : apart(text));
  if (!changesNothing)
    await confirmById(run, request.parameters.disputeId ?? '', decideQuestion(request), true);
  return send();
}

export function decideQuestion({ body }: OperationRequest): string {
  return `Decide this dispute as ${String(body?.status)}? This is final.`;
}

/**
 * Reads the dispute again, because it may have changed while the user answered questions. `isShown`: its case file is on the
 * screen.
 */
export async function previewDecision(run: Run, isShown = run.questions !== null): Promise<Preview> {
  const { ui } = run;
  const { body } = run.request;
  if (!isShown) await refuseEarlier(run, {});
  const dispute = await readDispute(run);
  const expected = expectedStatus(run);
  const decision = { status: body?.status, resolution: body?.resolution };
  const comparison = compareDecision(dispute, decision, expected);
  if (comparison === 'same') {
    return {
      text: line`Already decided as ${String(body?.status)}; nothing was sent.`,
      changesNothing: true,
      send: async () => unchangedResult(dispute.record),
    };
  }
  if (comparison === 'conflict') throw unexpectedStatus(dispute, expected, body?.status);
  const remark = remarkOn(decision.status);
  const asked = ui.canAsk ? [renderRecord(rowsOf(decision), ui.err)] : [];
  if (remark !== null) asked.push(ui.err.color.yellow(line`Warning: ${remark}.`));
  const parts = [describeDispute(dispute.answer, ui.err), ...asked].map((part) =>
    joined([part, line``], '\n'),
  );
  return {
    text: joined(isShown ? asked : parts, '\n'),
    alwaysShow: true,
    send: () => send(run, { readAt: dispute.readAt, replaced: replacedStatusOf(dispute) }),
  };
}

/** What a decision replaces, for its record. */
export function replacedStatusOf({ record: { status } }: CurrentDispute): JsonObject {
  return { status };
}
