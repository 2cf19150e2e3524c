import type { Ui } from '../command/ui.ts';
import { joined, printable, printableInOneLine } from '../core/sanitize.ts';
import { gap, startLayout } from '../output/columns.ts';
import { padText } from '../output/wrap.ts';
import { groupByReason, messageWithDetail, nameGroup } from './group-results.ts';
import { type BatchWords, type Ended, type ItemResult, makeResult, outcomeWords } from './item-result.ts';
import { startProgress } from './progress.ts';

/** The items of a batch, and how each is shown. */
interface Shown<Item> {
  readonly words: BatchWords;
  readonly items: readonly Item[];
  /** Number of items to be sent, for the progress bar; null for no bar. */
  readonly total: number | null;
  /** What identifies an item, and more about its result. */
  cells(item: Item, result: ItemResult): readonly string[];
  /** What `--quiet` prints of an item that is done, now or before. */
  id(item: Item, result: ItemResult): string | null;
}

/**
 * Prints a line for each result. What needs attention comes last, where a person looks; what was so before is only counted.
 * `--quiet` prints the ids alone, in the order of the items, so that a second run prints the same.
 */
export function startPrinter<Item>(ui: Ui, { words, items: all, total, cells, id }: Shown<Item>) {
  const { width, plain } = ui.out;
  const progress = startProgress(ui, total, words.many);
  const outcomes = { ...outcomeWords(words), skipped: 'skipped' };
  const wordWidth = Math.max(words.applied.length, outcomes.unknown.length);
  const layOut =
    width === null
      ? null
      : startLayout(width, wordWidth + gap.length, () =>
          all.map((item) => cells(item, makeResult('not_sent'))[0] ?? ''),
        );

  function print(items: readonly Item[], result: ItemResult): void {
    const isError = result.outcome === 'failed' || result.outcome === 'unknown';
    if (ui.json || (ui.quiet && !isError)) return;
    const [named = [], ...others] = items.map((item) => cells(item, result));
    const isOne = others.length === 0;
    const name = isOne
      ? named
      : [
          nameGroup(
            [named, ...others].map(([first = '']) => first),
            words,
          ),
        ];
    const reason = isOne ? messageWithDetail(result) : result.message;
    const word = outcomes[result.outcome];
    const parts = [...name, reason].filter((part) => part !== '').map(printableInOneLine);
    // With --quiet, stdout has ids alone, and what failed is an error.
    const start = printable(padText(word, wordWidth));
    if (ui.quiet) ui.writeAlways(joined([start, ...parts], gap));
    else if (plain) ui.print(joined([printableInOneLine(word), ...parts], ', '));
    else ui.print(layOut === null ? joined([start, ...parts], gap) : layOut(start, parts, isDone(result)));
  }

  const isDone = ({ outcome }: ItemResult) => outcome === 'applied' || outcome === 'exists';

  return {
    /** Counts an item, unless the same command has to be run again for it. */
    step(item: Item, result: ItemResult): void {
      if (isDone(result)) print([item], result);
      if (result.outcome !== 'not_sent' && result.outcome !== 'unknown') progress.step();
    },
    end(ended: readonly Ended<Item>[]): void {
      progress.end();
      for (const { item, result } of ended) {
        const doneId = ui.quiet && isDone(result) ? id(item, result) : null;
        if (doneId !== null) ui.print(printableInOneLine(doneId));
      }
      // The error that stopped the batch says why an item was not reached.
      const left = ended.filter(({ result }) => !isDone(result) && result.outcome !== 'not_sent');
      for (const { items, result } of groupByReason(left)) print(items, result);
    },
  };
}
