import { startRun } from '../../../cli/batch/change-in-batch.ts';
import { endBatch } from '../../../cli/batch/end-batch.ts';
import { type ItemResult, makeResult } from '../../../cli/batch/item-result.ts';
import { runBatch } from '../../../cli/batch/run-batch.ts';
import type { CommandResult } from '../../../cli/command/command-definition.ts';
import { inputNeeded, orBePrompted } from '../../../cli/command/input-needed.ts';
import { completeKnownIds } from '../../../cli/command/known.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { CliError } from '../../../cli/core/errors.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { deriveFlags } from '../../../cli/input/field-flags.ts';
import { checkParameter } from '../../../cli/input/path-parameter.ts';
import type { Result, Run } from '../../../cli/operation/call/run.ts';
import { askInto, explainRefusal } from '../../../cli/operation/questions/ask-missing.ts';
import { announce, refuseEarlier } from '../../../cli/operation/send/send-run.ts';
import { openOutputFile } from '../../../cli/output/output-file.ts';
import { askFromStart, explainKeys } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { confirmAndDecide, expectedStatus, showCaseFile } from '../decide-one.ts';
import { readDispute } from '../dispute-status.ts';
import { documentOfRow, runFor, words } from './rows.ts';

/**
 * Goes through the disputes one by one in a terminal: shows each with its evidence, asks for its decision, and records it
 * at once, as a single command would. Disputes that are already decided are not asked for, so the same command continues.
 * Throws exit 3 without a terminal, because nobody can decide there.
 */
export async function decideByHand(
  ui: Ui,
  session: Session,
  parsed: ParsedCommand,
  given: readonly string[],
): Promise<CommandResult> {
  if (!ui.canAsk || session.flags.dryRun) {
    const description = 'CSV with status and resolution for each disputeId';
    const missing = { field: 'from', give: '--from FILE', description };
    throw inputNeeded([missing], orBePrompted);
  }
  for (const id of given) checkParameter('<disputeId>', id);
  const ids = [...new Set(await completeKnownIds(session, 'dispute', given))];
  const run = await startRun(ui, session, parsed, decideDispute);
  await announce(run);
  const { store } = (await session.history()).journal;
  const write = openOutputFile(session.io, parsed);
  const end = await runBatch(ui, {
    words,
    items: ids.map((disputeId, index) => ({ line: index + 1, disputeId })),
    // The place of each dispute among the others stands above it.
    total: null,
    atOnce: 1,
    known: () => null,
    async open({ signal }) {
      // A decision in flight may finish after Ctrl-C.
      const patient = { ...run, session: { ...session, io: { ...session.io, signal } } };
      return {
        send: ({ line, disputeId }) => decideNext(runFor(patient, disputeId), `${line} of ${ids.length}`),
      };
    },
    cells: ({ line, disputeId }) => [`${line} of ${ids.length}`, disputeId],
    id: ({ disputeId }) => disputeId,
  });
  const document = end.ended.map(({ item, result }) => documentOfRow(item, result, store));
  return endBatch(ui, words, end, { document, write });
}

async function decideNext(run: Run, heading: string): Promise<ItemResult> {
  const { ui } = run;
  await refuseEarlier(run, {});
  const dispute = await readDispute(run);
  const { status } = dispute.record;
  if (status !== expectedStatus(run)) return makeResult('exists', { message: `already ${String(status)}` });
  ui.notice('');
  ui.notice(line`${heading}`, 'bold');
  showCaseFile(run, dispute);
  explainKeys(ui);
  const body: Record<string, unknown> = {};
  const decided = await askDecision({ ...run, request: { ...run.request, body } }, body);
  if (decided === null) return makeResult('skipped');
  const message = `as ${String(body.status)}`;
  return decided.record === null
    ? makeResult('exists', { message: `already decided ${message}` })
    : makeResult('applied', { record: decided.record, message });
}

const fields = deriveFlags(decideDispute.body, { fileFlags: { resolution: 'resolution-file' } });

const skip = { value: '#skip', name: 'Skip this dispute' };

/**
 * Asks for the decision of a dispute whose case file is shown, with the questions of a single decision, and records it.
 * Escape goes back one question; a value that the service refuses is asked for again. Null if the user skips the dispute.
 */
async function askDecision(run: Run, body: Record<string, unknown>): Promise<Result | null> {
  const { ui, session } = run;
  let decided: Result | null = null;
  const decide = async () => {
    decided = await confirmAndDecide(run);
  };
  const questions = () => {
    const all = fields.map((field) => () => askInto(ui, body, field, { actions: [skip] }));
    return body.status === skip.value ? all.slice(0, 1) : [...all, decide];
  };
  for (;;) {
    try {
      await askFromStart(questions);
      return decided;
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      explainRefusal(ui, session, error);
    }
  }
}

/** Whether another answer may help: the service refused a value, or it is not valid. */
function isRefusedValue(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  const { outcome, status, code } = error.failure;
  return code === 'invalid_input' || (outcome === 'rejected' && (status === 400 || status === 422));
}
