import { startRun } from '../../../cli/batch/change-in-batch.ts';
import { endBatch } from '../../../cli/batch/end-batch.ts';
import { makeResult } from '../../../cli/batch/item-result.ts';
import { runBatch } from '../../../cli/batch/run-batch.ts';
import type { CommandCall, CommandResult } from '../../../cli/command/command-definition.ts';
import { inputNeeded } from '../../../cli/command/input-needed.ts';
import { checkParameter } from '../../../cli/input/path-parameter.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { findIds } from '../../../cli/operation/find-ids.ts';
import { findChoices } from '../../../cli/operation/questions/find-choices.ts';
import { announce } from '../../../cli/operation/send/announce.ts';
import { openOutputFile } from '../../../cli/output/output-file.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { decideNext } from './decide-next.ts';
import { askPlan, type Planned } from './plan-by-hand.ts';
import { documentOfRow, runFor, wordsByHand } from './rows.ts';

/**
 * Goes through the disputes one by one in a terminal: shows each with its evidence, asks for its decision, and records it
 * at once, as a single command would. Disputes that are already decided are not asked for, so the same command continues.
 * Throws exit 3 without a terminal, because nobody can decide there.
 */
export async function decideByHand(
  { ui, session, parsed }: CommandCall,
  given: readonly string[],
): Promise<CommandResult> {
  if (!ui.canAsk || session.flags.dryRun) {
    const description = 'CSV with status and resolution for each disputeId';
    const missing = { field: 'from', give: '--from FILE', description };
    throw inputNeeded([missing], { prompt: ui.promptHint });
  }
  for (const id of given) checkParameter('<disputeId>', id);
  const ids = [...new Set(await findIds(session, 'dispute', given))];
  const run = await startRun(ui, session, parsed, decideDispute);
  // What the service lists says who and why, before each is read.
  const { known } = await findChoices(run, 'dispute');
  return decideInTurn(
    run,
    ids.map((id) => known.find((object) => object.id === id) ?? { id }),
  );
}

/** As {@link decideByHand}, of all the open disputes, in the order in which they were listed. */
export async function decideAll(
  { ui, session, parsed }: CommandCall,
  disputes: readonly Planned[],
): Promise<CommandResult> {
  return decideInTurn(await startRun(ui, session, parsed, decideDispute), disputes);
}

/** In their order. One that was decided already, by somebody else meanwhile too, is not asked for. */
async function decideInTurn(run: Run, disputes: readonly Planned[]): Promise<CommandResult> {
  const { ui, session, parsed } = run;
  await announce(run);
  const plan = disputes.length > 1 ? await askPlan(ui, disputes) : null;
  const { store } = (await session.history()).journal;
  const write = openOutputFile(session.io, parsed);
  const place = (line: number) => (disputes.length > 1 ? [`${line} of ${disputes.length}`] : []);
  let isStopped = false;
  const end = await runBatch(ui, {
    words: wordsByHand,
    items: disputes.map(({ id: disputeId }, index) => ({ line: index + 1, disputeId })),
    // The place of each dispute among the others stands above it.
    total: null,
    atOnce: 1,
    known: () => null,
    async open({ signal }) {
      // A decision in flight may finish after Ctrl-C.
      const withOwnSignal = { ...run, session: { ...session, io: { ...session.io, signal } } };
      return {
        async send({ line, disputeId }) {
          if (isStopped) return makeResult('not_sent');
          const result = await decideNext(runFor(withOwnSignal, disputeId), place(line), plan);
          isStopped = result === 'stop';
          return result === 'stop' ? makeResult('not_sent') : result;
        },
      };
    },
    cells: ({ line, disputeId }) => [...place(line), disputeId],
    id: ({ disputeId }) => disputeId,
  });
  const document = end.ended.map(({ item, result }) => documentOfRow(item, result, store));
  return endBatch(ui, wordsByHand, end, { document, write });
}
