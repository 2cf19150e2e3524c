import { optionValue } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { confirmById } from '../../cli/operation/run/confirm.ts';
import type { Performed, Run } from '../../cli/operation/run/run.ts';
import { earlierRecord, perform, settleEarlierDecision } from '../../cli/operation/run/send.ts';
import { describeDispute } from './case-file.ts';
import {
  type CurrentDispute,
  compareDecision,
  expectStatus,
  readDispute,
  unexpectedStatus,
  unusualStatus,
} from './dispute-status.ts';

/** Shows the dispute before the questions, and refuses one that cannot be decided. */
export async function introduceDispute(run: Run): Promise<void> {
  await settleEarlierDecision(run);
  const dispute = await readDispute(run);
  showCaseFile(run, dispute);
  const expected = expectedStatus(run);
  if (dispute.record.status !== expected) throw unexpectedStatus(dispute, expected);
}

export function showCaseFile({ ui: { context } }: Run, { answer }: CurrentDispute): void {
  context.notice(`${describeDispute(answer, { ...context, out: context.err })}\n`);
}

export function expectedStatus({ ui }: Run): string {
  return optionValue(ui.parsed, expectStatus) ?? 'open';
}

/**
 * Reads the dispute again and decides it once the user has confirmed. `isShown`: its case file is on the screen, and Escape
 * goes back to the questions.
 */
export async function showAndDecide(run: Run, isShown = run.ui.interview !== null): Promise<Performed> {
  const { context } = run.ui;
  const { parameters, body } = run.request;
  const { disputeId = '' } = parameters;
  await settleEarlierDecision(run);
  // What was applied is reported, even if the dispute cannot be read now. It was not read, so nothing may be sent.
  if ((await earlierRecord(run)) !== null) return perform(run, { readAt: 0 });
  // The dispute may have changed while the user answered questions.
  const dispute = await readDispute(run);
  if (!isShown) showCaseFile(run, dispute);
  const expected = expectedStatus(run);
  const comparison = compareDecision(
    dispute,
    { status: body?.status, resolution: body?.resolution },
    expected,
  );
  if (comparison === 'same') {
    context.notice(`Already decided as ${printable(String(body?.status))}; nothing was sent.`);
    const unchanged = { ...dispute.record, changed: false };
    return { answer: unchanged, text: JSON.stringify(unchanged), etag: null, record: null };
  }
  if (comparison === 'conflict') throw unexpectedStatus(dispute, expected, body?.status);
  const warning = unusualStatus(String(body?.status));
  if (warning !== null) context.notice(context.err.color.yellow(`Warning: ${printable(warning)}`));
  await confirmById(
    run,
    disputeId,
    `Decide this dispute as ${String(body?.status)}? This is final.`,
    isShown,
  );
  return perform(run, { readAt: dispute.readAt });
}
