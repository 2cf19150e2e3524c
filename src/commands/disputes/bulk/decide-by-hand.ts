import { startRun } from '../../../cli/batch/change-in-batch.ts';
import { endBatch } from '../../../cli/batch/end-batch.ts';
import { makeResult } from '../../../cli/batch/item-result.ts';
import { runBatch } from '../../../cli/batch/run-batch.ts';
import type { CommandCall, CommandResult } from '../../../cli/command/command-definition.ts';
import { inputNeeded, promptHint } from '../../../cli/command/input-needed.ts';
import { completeKnownIds, listKnown } from '../../../cli/command/known.ts';
import { checkParameter } from '../../../cli/input/path-parameter.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { askId, explainRefusal, isNotFound } from '../../../cli/operation/questions/ask-missing.ts';
import { type Choices, findChoices } from '../../../cli/operation/questions/find-choices.ts';
import { announce } from '../../../cli/operation/send/send-run.ts';
import { openOutputFile } from '../../../cli/output/output-file.ts';
import { askOne } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import type { KnownObject } from '../../../history/objects/known-objects.ts';
import { readDispute } from '../dispute-status.ts';
import { decideNext } from './decide-next.ts';
import { askPlan, type Planned } from './plan-by-hand.ts';
import { documentOfRow, runFor, words } from './rows.ts';

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
    throw inputNeeded([missing], promptHint);
  }
  for (const id of given) checkParameter('<disputeId>', id);
  const ids = [...new Set(await completeKnownIds(session, 'dispute', given))];
  const run = await startRun(ui, session, parsed, decideDispute);
  const place = (line: number) => `${line} of ${ids.length}`;
  const known = await listKnown(session, 'dispute');
  const disputes = ids.map((id) => known.find((object) => object.id === id) ?? { id });
  return decideInTurn(run, { first: ids, place, next: async () => [], disputes });
}

/**
 * Asks which of the open disputes comes first, and goes on with the others: by deadline, without those that somebody else has
 * decided meanwhile. Null if the service cannot list them, or has none.
 */
export async function decideOpen({ ui, session, parsed }: CommandCall): Promise<CommandResult | null> {
  const run = await startRun(ui, session, parsed, decideDispute);
  const listOpen = () => findChoices(run, 'dispute');
  const { offered, known, isListed } = await listOpen();
  if (!isListed || offered.length === 0) return null;
  const chosen = await askOne(() => askForExisting(run, { known, offered }));
  const seen = new Set([chosen]);
  let left = offered.length - 1;
  const from = offered.findIndex(({ id }) => id === chosen);
  // In the order in which they come: from the chosen one on, then those before it.
  const disputes =
    from === -1 ? [{ id: chosen }, ...offered] : [...offered.slice(from), ...offered.slice(0, from)];
  return decideInTurn(run, {
    first: [chosen],
    disputes,
    place: (line) => (left > 0 ? `Dispute ${line}, ${left} more open` : `Dispute ${line}, the last open one`),
    async next(id) {
      const { offered: open, isListed: isStillListed } = await listOpen();
      const others = open.filter((object) => !seen.has(object.id));
      const at = deadlineOf([...open, ...offered].find((object) => object.id === id));
      const following = others.find((object) => deadlineOf(object) >= at) ?? others[0];
      left = others.length - 1;
      if (!isStillListed || following === undefined) return [];
      seen.add(following.id);
      return [following.id];
    },
  });
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

function deadlineOf(dispute: KnownObject | undefined): number {
  return Date.parse(String(dispute?.fields.deadlineAt)) || 0;
}

/** The disputes to decide, in their order. */
interface Queue {
  readonly first: readonly string[];
  /** All of them, as far as they are known, for the plan. */
  readonly disputes: readonly Planned[];
  /** What stands above a dispute, from 1. */
  place(line: number): string;
  /** What comes after a dispute that was decided or skipped. */
  next(disputeId: string): Promise<readonly string[]>;
}

async function decideInTurn(run: Run, { first, disputes, place, next }: Queue): Promise<CommandResult> {
  const { ui, session, parsed } = run;
  await announce(run);
  const plan = disputes.length > 1 ? await askPlan(ui, disputes) : null;
  const { store } = (await session.history()).journal;
  const write = openOutputFile(session.io, parsed);
  let count = 0;
  let isStopped = false;
  const asItems = (ids: readonly string[]) =>
    ids.map((disputeId) => {
      count += 1;
      return { line: count, disputeId };
    });
  const end = await runBatch(ui, {
    words,
    items: asItems(first),
    more: async ({ disputeId }) => (isStopped ? [] : asItems(await next(disputeId))),
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
    cells: ({ line, disputeId }) => [...(first.length > 1 ? [place(line)] : []), disputeId],
    id: ({ disputeId }) => disputeId,
  });
  const document = end.ended.map(({ item, result }) => documentOfRow(item, result, store));
  return endBatch(ui, words, end, { document, write });
}
