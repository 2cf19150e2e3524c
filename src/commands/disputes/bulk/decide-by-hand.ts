import { startRun, withSignal } from '../../../cli/batch/change-in-batch.ts';
import { endBatch } from '../../../cli/batch/end-batch.ts';
import { type ItemResult, makeResult } from '../../../cli/batch/item-result.ts';
import { resultIn, runBatch } from '../../../cli/batch/run-batch.ts';
import type { CommandResult } from '../../../cli/command/command-definition.ts';
import { inputNeeded, orBePrompted } from '../../../cli/command/input-needed.ts';
import { completeKnownIds } from '../../../cli/command/known.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { checkParameter } from '../../../cli/input/path-parameter.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { announce, refuseEarlier } from '../../../cli/operation/send/send-run.ts';
import { openOutputFile } from '../../../cli/output/output-file.ts';
import { explainKeys } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { expectedStatus, showCaseFile } from '../decide-one.ts';
import { readDispute } from '../dispute-status.ts';
import { askDecision } from './ask-decision.ts';
import { documentOfRow, runFor, words } from './rows.ts';

/** A dispute, and its place among the others, from 1. */
interface Place {
  readonly line: number;
  readonly disputeId: string;
}

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
  const history = await session.history();
  const places = ids.map((disputeId, index) => ({ line: index + 1, disputeId }));
  const queue = [...places];
  const skipped: Place[] = [];
  function* upcoming() {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) yield next;
  }
  const write = openOutputFile(session.io, parsed);
  const end = await runBatch<Place>(ui, {
    words,
    items: upcoming(),
    // The place of each dispute among the others stands above it.
    total: null,
    atOnce: 1,
    known: () => null,
    open: async ({ signal }) => ({
      async send(place) {
        const { line, disputeId } = place;
        const own = withSignal(runFor(run, disputeId), signal);
        const result = await decideNext(own, `${line} of ${ids.length}`, skipped.length > 0);
        // Back leads to the last one that was skipped, and from there forwards again.
        if (result === null) queue.unshift(...skipped.splice(-1), place);
        else if (result.outcome === 'skipped') skipped.push(place);
        return result;
      },
      end: () => {},
    }),
    cells: ({ line, disputeId }) => [`${line} of ${ids.length}`, disputeId],
    id: ({ disputeId }) => disputeId,
  });
  const results = places.map((place) => resultIn(end, place));
  const document = places.map((place) => documentOfRow(place, resultIn(end, place), history.journal.store));
  return endBatch(ui, { words, results, document, stop: end.stop, write });
}

/** Null if the user goes back to the previous dispute. */
async function decideNext(run: Run, heading: string, canGoBack: boolean): Promise<ItemResult | null> {
  const { ui } = run;
  await refuseEarlier(run, {});
  const dispute = await readDispute(run);
  const { status } = dispute.record;
  if (status !== expectedStatus(run)) return makeResult('exists', { message: `already ${String(status)}` });
  ui.notice(`\n${ui.err.color.bold(heading)}`);
  showCaseFile(run, dispute);
  explainKeys(ui);
  const asked = await askDecision(run, canGoBack);
  if (asked === 'back') return null;
  if (asked === 'skip') return makeResult('skipped');
  const message = `as ${asked.status}`;
  return asked.record === null
    ? makeResult('exists', { message: `already decided ${message}` })
    : makeResult('applied', { record: asked.record, message });
}
