import { startRun, withSignal } from '../../../cli/batch/change-in-batch.ts';
import { endBatch } from '../../../cli/batch/end-batch.ts';
import { type ItemResult, makeResult } from '../../../cli/batch/item-result.ts';
import { resultIn, runBatch } from '../../../cli/batch/run-batch.ts';
import type { CommandResult } from '../../../cli/command/command-definition.ts';
import { completeKnownIds } from '../../../cli/command/known.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { type CliError, invalidInput, usageError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
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
import type { Decision } from './decisions-file.ts';
import {
  type DecisionRow,
  documentOfRow,
  type EarlierDecisions,
  readEarlierDecisions,
  runOfRow,
  words,
} from './rows.ts';

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
  if (given.length === 0) throw invalidInput('no disputes to decide', 'write one id per line');
  if (!ui.canAsk || session.flags.dryRun) throw decisionsNeeded(given.length);
  for (const id of given) checkParameter('<disputeId>', id);
  const ids = [...new Set(await completeKnownIds(session, 'dispute', given))];
  const run = await startRun(ui, session, parsed, decideDispute);
  await announce(run);
  const history = await session.history();
  const queue = startQueue(ids);
  const earlier = readEarlierDecisions(history);
  const made = [...earlier.made];
  const write = openOutputFile(session.io, parsed);
  const end = await runBatch(ui, {
    words,
    items: queue.items,
    // The place of each dispute among the others stands above it.
    total: null,
    atOnce: 1,
    known: () => null,
    isPlanShown: false,
    open: async (limits) => ({
      async send(row) {
        const result = await decideRow(withSignal(run, limits.signal), row, { queue, earlier, made });
        if (result === null) queue.goBack();
        else queue.finish(result);
        return result;
      },
      end: () => {},
    }),
    cells: ({ line, disputeId }) => [`${line} of ${ids.length}`, disputeId ?? ''],
    id: ({ disputeId }) => disputeId,
  });
  const results = queue.rows.map((row) => resultIn(end, row));
  const document = queue.rows.map((row) => documentOfRow(row, resultIn(end, row), history.journal.store));
  return endBatch(ui, { words, results, document, stop: end.stop, write });
}

function decisionsNeeded(count: number): CliError {
  const detail = 'a required column, besides disputeId';
  return usageError(
    `status and resolution are required for each of ${count} disputes`,
    'pass them with --from FILE, a CSV file with the columns disputeId,status,resolution, or run the command in a terminal to decide one by one',
    {
      code: 'input_needed',
      exitCode: exitCodes.inputNeeded,
      fields: ['status', 'resolution'].map((field) => ({ field, flag: '--from', detail })),
    },
  );
}

/** The disputes in their order. Going back leads to the last one that was skipped, and from there forwards again. */
interface Queue {
  readonly rows: readonly DecisionRow[];
  readonly items: Iterable<DecisionRow>;
  canGoBack(): boolean;
  goBack(): void;
  finish(result: ItemResult): void;
}

function startQueue(ids: readonly string[]): Queue {
  const rows = ids.map((disputeId, index) => ({ line: index + 1, disputeId, decision: null }));
  const results = new Map<number, ItemResult>();
  let at = 0;
  const previous = () =>
    [...results].filter(([index, { outcome }]) => index < at && outcome === 'skipped').at(-1)?.[0];
  function* items() {
    for (; at < rows.length; ) {
      const row = rows[at];
      const outcome = results.get(at)?.outcome;
      if (row === undefined || (outcome !== undefined && outcome !== 'skipped')) at += 1;
      else yield row;
    }
  }
  return {
    rows,
    items: items(),
    canGoBack: () => previous() !== undefined,
    goBack() {
      at = previous() ?? at;
    },
    finish(result) {
      results.set(at, result);
      at += 1;
    },
  };
}

interface Deciding {
  readonly queue: Queue;
  readonly earlier: EarlierDecisions;
  /** Decisions of this machine, newest first; those of this run are added. */
  readonly made: Decision[];
}

/** Null if the user goes back to the previous dispute. */
async function decideRow(
  run: Run,
  { line, disputeId }: DecisionRow,
  { queue, earlier, made }: Deciding,
): Promise<ItemResult | null> {
  const { ui } = run;
  const id = disputeId ?? '';
  const own = runOfRow(run, id, null);
  await refuseEarlier(own, {});
  const dispute = await readDispute(own);
  const { status } = dispute.record;
  if (status !== expectedStatus(own))
    return makeResult('exists', { record: earlier.recordOf(id), message: `already ${String(status)}` });
  ui.notice(`\n${ui.err.color.bold(`${line} of ${queue.rows.length}`)}`);
  showCaseFile(own, dispute);
  explainKeys(ui);
  const asked = await askDecision(own, { canGoBack: queue.canGoBack(), earlier: made });
  if (asked === 'back') return null;
  if (asked === 'skip') return makeResult('skipped');
  const { record } = asked.result;
  if (record === null)
    return makeResult('exists', { message: `already decided as ${asked.decision.status}` });
  made.unshift(asked.decision);
  return makeResult('applied', { record, message: `as ${asked.decision.status}` });
}
