import { startRun } from '../../../cli/batch/change-in-batch.ts';
import { endBatch } from '../../../cli/batch/end-batch.ts';
import { makeResult } from '../../../cli/batch/item-result.ts';
import { runBatch } from '../../../cli/batch/run-batch.ts';
import type { CommandCall, CommandResult } from '../../../cli/command/command-definition.ts';
import { inputNeeded } from '../../../cli/command/input-needed.ts';
import { checkParameter } from '../../../cli/input/path-parameter.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { findIds } from '../../../cli/operation/find-ids.ts';
import { askId, explainRefusal, isNotFound } from '../../../cli/operation/questions/ask-missing.ts';
import { type Choices, findChoices } from '../../../cli/operation/questions/find-choices.ts';
import { announce } from '../../../cli/operation/send/announce.ts';
import { openOutputFile } from '../../../cli/output/output-file.ts';
import { askChoice } from '../../../cli/prompts/prompts.ts';
import { askAll, explainKeys, type Question } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import type { KnownObject } from '../../../history/objects/known-objects.ts';
import { readDispute } from '../dispute/dispute-status.ts';
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

/**
 * Asks which of the open disputes to decide, and whether to go on with the others by deadline. Null if the service cannot list them,
 * or has none.
 */
export async function decideOpen({ ui, session, parsed }: CommandCall): Promise<CommandResult | null> {
  const run = await startRun(ui, session, parsed, decideDispute);
  const { offered: open, known, isListed } = await findChoices(run, 'dispute');
  if (!isListed || open.length === 0) return null;
  const offered = open.toSorted((one, other) => deadlineOf(one) - deadlineOf(other));
  const chosen: { inTurn: readonly Planned[] } = { inTurn: [] };
  const goesOn: Question = async () => {
    const all = chosen.inTurn;
    if (all.length === 1) return;
    const answer = await askChoice(ui.io, 'Decide only this dispute?', [
      { value: onlyThis, name: 'Yes, only this one' },
      { value: 'all', name: `No, go on with the other open ones after it (${all.length - 1})` },
    ]);
    if (answer === onlyThis) chosen.inTurn = all.slice(0, 1);
  };
  if (offered.length > 1) explainKeys(ui);
  await askAll(() => [
    async () => {
      const id = await askForExisting(run, { known, offered });
      chosen.inTurn = inTurnFrom(id, offered);
    },
    goesOn,
  ]);
  return decideInTurn(run, chosen.inTurn);
}

const onlyThis = 'only';

/** The dispute with this id, then the others from there on. */
function inTurnFrom(id: string, offered: readonly KnownObject[]): readonly Planned[] {
  const from = offered.findIndex((object) => object.id === id);
  return from === -1 ? [{ id }, ...offered] : [...offered.slice(from), ...offered.slice(0, from)];
}

/** Asks again for an id that was typed and does not exist. */
async function askForExisting(
  run: Run,
  { known, offered }: Pick<Choices, 'known' | 'offered'>,
): Promise<string> {
  const { ui, session } = run;
  for (let before: string | undefined; ; ) {
    const id = await askId(ui, decideDispute, 'disputeId', { all: known, offered }, before);
    if (offered.some((object) => object.id === id)) return id;
    try {
      await readDispute(runFor(run, id));
      return id;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      explainRefusal(ui, session, error);
      before = id;
    }
  }
}

function deadlineOf({ fields }: KnownObject): number {
  return Date.parse(String(fields.deadlineAt)) || Number.MAX_SAFE_INTEGER;
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
