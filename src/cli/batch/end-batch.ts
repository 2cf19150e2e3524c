import type { HistoryRecord } from '../../history/record/history-record.ts';
import type { CommandResult } from '../command/command-definition.ts';
import { reportApplied } from '../command/command-definition.ts';
import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import { CliError, type Step } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { line } from '../core/sanitize.ts';
import { printSuccess } from '../operation/result/print-result.ts';
import { upperFirst } from '../output/labels.ts';
import {
  type BatchWords,
  countItems,
  describeTotals,
  type ItemResult,
  mostSevereExitCode,
} from './item-result.ts';
import type { BatchEnd } from './run-batch.ts';

/** The results of a batch that has ended, and how they are printed. */
interface Ending {
  /** The document for `--json` and `--output-file`. */
  readonly document: unknown;
  /** Writes a text to `--output-file`, if the flag was given. */
  readonly write?: ((text: string) => void) | undefined;
  /** The next step for failed items that were written to a file. */
  readonly failedItems?: readonly Step[] | undefined;
}

/** Prints the document and the totals. Throws the error that says what is left to do. */
export async function endBatch<Item>(
  ui: Ui,
  words: BatchWords,
  { ended, stop }: BatchEnd<Item>,
  { document, write, failedItems = [] }: Ending,
): Promise<CommandResult> {
  if (ui.json) printJson(ui, document);
  const applied = appliedIn(ended);
  await reportApplied(applied, () => write?.(JSON.stringify(document)));
  const results = ended.map(({ result }) => result);
  const outcomes = results.map(({ outcome }) => outcome);
  const codes = results.map((result) => result.exitCode);
  const exitCode = mostSevereExitCode(stop === null ? codes : [...codes, stop.failure.exitCode]);
  if (exitCode !== exitCodes.done) {
    const totals = describeTotals(outcomes, words);
    throw stop === null
      ? new CliError({
          code: 'incomplete',
          exitCode,
          what: totals,
          next: nextAfterFailures(words, results, failedItems),
        })
      : new CliError({
          code: stop.failure.code,
          exitCode,
          what:
            stop.failure.exitCode === exitCodes.cancelled
              ? `cancelled (${totals})`
              : `stopped (${totals}): ${stop.message}`,
          next: [...nextAfterStop(words, stop), ...failedItems],
          status: stop.failure.status,
          requestId: stop.failure.requestId,
        });
  }
  const others = describeTotals(
    outcomes.filter((outcome) => outcome !== 'applied'),
    words,
  );
  if (applied.length === 0) ui.notice(line`${upperFirst(others || `no ${words.many}`)}.`);
  else printSuccess(ui, [describeApplied(applied.length, words), others].filter(Boolean).join(', '));
  // What the user skipped, or stopped before; other items are skipped for a reason.
  if (words.again !== null && results.some(isLeft))
    ui.notice(line`Run the same command again for the rest: ${words.again}.`);
  return { applied };
}

/** `Created 12 posts`, or `12 changes were applied`. */
function describeApplied(count: number, words: BatchWords): string {
  const counted = countItems(count, words);
  return words.isEarlier === true
    ? `${counted} ${count === 1 ? 'was' : 'were'} ${words.applied}`
    : `${upperFirst(words.applied)} ${counted}`;
}

function isLeft({ outcome, code }: ItemResult): boolean {
  return outcome === 'not_sent' || (outcome === 'skipped' && code === null);
}

/** The records that a batch has applied. */
export function appliedIn(ended: BatchEnd<unknown>['ended']): HistoryRecord[] {
  return ended.flatMap(({ result: { outcome, record } }) =>
    outcome === 'applied' && record !== null ? [record] : [],
  );
}

/** After an error that stopped the batch. */
function nextAfterStop(words: BatchWords, { failure }: CliError): readonly Step[] {
  const { next = [], exitCode, status } = failure;
  const isUnanswered = exitCode === exitCodes.unknown && status === undefined;
  if (exitCode === exitCodes.notAllowed && next.length > 0) return next;
  const again = {
    say: `run the same command again ${isUnanswered ? 'when the service answers' : 'to continue'}`,
  };
  if (words.again !== null) return [again, { say: words.again }];
  return isUnanswered ? [again, ...next] : [again];
}

/** After all items were reached, and some failed or are in doubt. */
function nextAfterFailures(
  words: BatchWords,
  results: readonly ItemResult[],
  failedItems: readonly Step[],
): readonly Step[] {
  const left = results.filter(
    ({ outcome }) => outcome === 'unknown' || (outcome === 'failed' && failedItems.length === 0),
  );
  const fix = words.fix === undefined ? [] : [{ say: words.fix }];
  const remedies = left.map(({ outcome, remedy }) =>
    outcome === 'failed' && remedy.length === 0 ? fix : remedy,
  );
  // The same step is said once.
  const distinct = new Map(remedies.flat().map((step) => [JSON.stringify(step), step]));
  const again = words.again === null ? [] : [{ say: `run the same command again: ${words.again}` }];
  return [...distinct.values(), ...failedItems, ...again];
}
