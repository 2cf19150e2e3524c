import type { HistoryRecord } from '../../history/journal/history-record.ts';
import type { CommandResult } from '../command/command-definition.ts';
import { reportApplied } from '../command/command-definition.ts';
import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import { CliError, type Step } from '../core/errors.ts';
import { type ExitCode, exitCodes } from '../core/exit-codes.ts';
import { noticeDone } from '../operation/result/print-result.ts';
import { upperFirst } from '../output/labels.ts';
import {
  type BatchWords,
  countItems,
  describeTotals,
  type ItemResult,
  mostSevereExitCode,
} from './item-result.ts';

/** A batch that has ended. */
export interface EndedBatch {
  readonly words: BatchWords;
  readonly results: readonly ItemResult[];
  /** What `--json` prints, and `--output-file` gets. */
  readonly document: unknown;
  readonly stop: CliError | null;
  /** Writes its text to `--output-file`, if given. */
  readonly write?: ((text: string) => void) | undefined;
  /** What the user does about failed items instead of running the same command again. */
  readonly advice?: readonly Step[] | undefined;
}

/** Prints the document and the totals. Throws the error that says what is left to do. */
export async function endBatch(
  ui: Ui,
  { words, results, document, stop, write, advice }: EndedBatch,
): Promise<CommandResult> {
  if (ui.json) printJson(ui, document);
  const applied = appliedIn(results);
  await reportApplied(applied, () => write?.(JSON.stringify(document)));
  const outcomes = results.map(({ outcome }) => outcome);
  const codes = results.map(({ exitCode }) => exitCode);
  const exitCode = mostSevereExitCode(stop === null ? codes : [...codes, stop.failure.exitCode]);
  if (exitCode !== exitCodes.done) {
    const totals = describeTotals(outcomes, words);
    throw stop === null
      ? incomplete(words, results, { exitCode, totals, advice })
      : stopped(words, stop, { exitCode, totals });
  }
  const done = outcomes.filter((outcome) => outcome === 'applied').length;
  const others = describeTotals(
    outcomes.filter((outcome) => outcome !== 'applied'),
    words,
  );
  if (done === 0) ui.notice(`${upperFirst(others || `no ${words.many}`)}.`);
  else
    noticeDone(
      ui,
      [`${upperFirst(words.applied)} ${countItems(done, words)}`, others].filter(Boolean).join(', '),
    );
  // What the user skipped; other items are skipped for a reason.
  if (words.again !== null && results.some(({ outcome, code }) => outcome === 'skipped' && code === null))
    ui.notice(`Run the same command again for the rest; ${words.again}.`);
  return { applied };
}

/** The records that a batch with these results has applied. */
export function appliedIn(results: readonly ItemResult[]): HistoryRecord[] {
  return results.flatMap(({ outcome, record }) => (outcome === 'applied' && record !== null ? [record] : []));
}

/** The error that stopped the batch, with how far it got. */
function stopped(
  words: BatchWords,
  { message, failure }: CliError,
  { exitCode, totals }: { readonly exitCode: ExitCode; readonly totals: string },
): CliError {
  const { code, status, requestId, next = [] } = failure;
  const isUnanswered = failure.exitCode === exitCodes.unknown && status === undefined;
  const isRefused = failure.exitCode === exitCodes.notAllowed && next.length > 0;
  const again = {
    say: `run the same command again ${isUnanswered ? 'when the service answers' : 'to continue'}`,
  };
  const more = isUnanswered ? next : [];
  return new CliError({
    code,
    exitCode,
    what: `stopped (${totals}): ${message}`,
    next: [...(isRefused ? next : [again]), ...(words.again === null ? more : [{ say: words.again }])],
    status,
    requestId,
  });
}

/** All items were reached, and some failed or are in doubt. */
function incomplete(
  words: BatchWords,
  results: readonly ItemResult[],
  { exitCode, totals, advice = [] }: Pick<EndedBatch, 'advice'> & { exitCode: ExitCode; totals: string },
): CliError {
  const left = results.filter(
    ({ outcome }) => outcome === 'unknown' || (outcome === 'failed' && advice.length === 0),
  );
  // The same remedy is said once.
  const remedies = new Map(left.map(({ remedy }) => [JSON.stringify(remedy), remedy]));
  const again =
    words.again === null || advice.length > 0 ? [] : [{ say: `run the same command again; ${words.again}` }];
  return new CliError({
    code: 'incomplete',
    exitCode,
    what: totals,
    next: [...[...remedies.values()].flat(), ...advice, ...again],
  });
}
