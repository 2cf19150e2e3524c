import { optionValue } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import type { Result, Run } from '../../cli/operation/call/run.ts';
import { confirmById } from '../../cli/operation/send/confirm.ts';
import { refuseEarlier, send } from '../../cli/operation/send/send-run.ts';
import { renderRecord, rowsOf } from '../../cli/output/tables.ts';
import { describeDispute } from './case-file.ts';
import {
  type CurrentDispute,
  checkStatus,
  compareDecision,
  expectStatus,
  readDispute,
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

export function showCaseFile({ ui }: Run, { answer }: CurrentDispute): void {
  ui.notice(`${describeDispute(answer, ui.err)}\n`);
}

export function expectedStatus({ parsed }: Run): string {
  return optionValue(parsed, expectStatus) ?? 'open';
}

/** Shows a dispute and decides it once the user has confirmed. */
export async function showAndDecide(run: Run): Promise<Result> {
  await refuseEarlier(run, {});
  return confirmAndDecide(run, { isShown: run.interview !== null });
}

/**
 * Reads the dispute again, because it may have changed while the user answered questions, and decides it once the user has
 * confirmed. `isShown`: its case file is on the screen, and Escape goes back to the questions.
 */
export async function confirmAndDecide(
  run: Run,
  { isShown }: { readonly isShown: boolean },
): Promise<Result> {
  const { ui } = run;
  const { parameters, body } = run.request;
  // A user who was asked may have typed another status than those offered.
  checkStatus(body ?? {});
  const dispute = await readDispute(run);
  if (!isShown) showCaseFile(run, dispute);
  const expected = expectedStatus(run);
  const decision = { status: body?.status, resolution: body?.resolution };
  const comparison = compareDecision(dispute, decision, expected);
  if (comparison === 'same') {
    ui.notice(`Already decided as ${printable(String(body?.status))}; nothing was sent.`);
    const unchanged = { ...dispute.record, changed: false };
    return { answer: unchanged, text: JSON.stringify(unchanged), etag: null, record: null };
  }
  if (comparison === 'conflict') throw unexpectedStatus(dispute, expected, body?.status);
  if (ui.canAsk) ui.notice(`\n${renderRecord(rowsOf(decision), ui.err)}\n`);
  const question = `Decide this dispute as ${String(body?.status)}? This is final.`;
  await confirmById(run, parameters.disputeId ?? '', question, isShown);
  return send(run, { readAt: dispute.readAt, former: formerOf(dispute) });
}

/** What a decision replaces, for its record. */
export function formerOf({ record: { status } }: CurrentDispute): string {
  return JSON.stringify({ status });
}
