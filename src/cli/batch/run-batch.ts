import type { Ui } from '../command/ui.ts';
import { CliError, cancelledError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { describeHistoryError } from '../operation/send/refusals.ts';
import { type BatchWords, type Ended, type ItemResult, makeResult, resultOfError } from './item-result.ts';
import { type Limits, maxPending, startGrace, startPace } from './limits.ts';
import { startPrinter } from './print-results.ts';

/** Many items that are sent in the same way: files, rows of a table, open changes. */
export interface Batch<Item> {
  readonly words: BatchWords;
  readonly items: readonly Item[];
  /** Number of items to be sent, for the progress bar; null for no bar. */
  readonly total: number | null;
  readonly atOnce: 1 | 'adaptive';
  /** The result of an item that is not sent, or null if it is to be sent. */
  known(item: Item): ItemResult | null;
  /** The result of an item that was not reached, if it is not simply `not_sent`. */
  notReached?(item: Item): ItemResult | null;
  /** Prepares for sending. */
  open(limits: Limits): Promise<Channel<Item>>;
  /** The cells that identify an item, and more about its result. */
  cells(item: Item, result: ItemResult): readonly string[];
  /** The text that `--quiet` prints for an item that was applied, now or before. */
  id(item: Item, result: ItemResult): string | null;
}

interface Channel<Item> {
  /** Resolves to null if the batch was over before. */
  send(item: Item): Promise<ItemResult | null>;
  end?(): void;
}

/** The result of a batch. */
export interface BatchEnd<Item> {
  /** All items, in their order. */
  readonly ended: readonly Ended<Item>[];
  /** The error that stopped it, or null. */
  readonly stop: CliError | null;
}

/** Maximum number of unknown outcomes in a row. More of them mean that the service is failing, and not single items. */
const maxConsecutiveUnknown = 3;

/**
 * Sends the items of a batch, some at a time, and prints each result. Ctrl-C stops the batch, and so does an error that concerns all items;
 * requests in flight may finish. Throws only errors that are not for the user.
 */
export async function runBatch<Item>(ui: Ui, batch: Batch<Item>): Promise<BatchEnd<Item>> {
  const { signal } = ui.io;
  const { items } = batch;
  const results = new Map<Item, ItemResult>();
  const pace = startPace(batch.atOnce);
  let channel: Channel<Item> | null = null;
  const grace = startGrace(ui, () => channel !== null);
  const printer = startPrinter(ui, batch);
  let stop: CliError | null = null;
  let consecutiveUnknown = 0;
  const isOver = () => stop !== null || signal.aborted;

  /** A result that was known before counts, even if the batch has stopped before the item. */
  const ended = () =>
    items.map((item) => ({
      item,
      result: batch.known(item) ?? results.get(item) ?? batch.notReached?.(item) ?? makeResult('not_sent'),
    }));

  function finish(item: Item, result: ItemResult): void {
    const isCut = result.code === 'cancelled' || result.exitCode === exitCodes.throttled;
    // The change was recorded and never applied.
    if (isOver() && result.outcome === 'not_sent' && isCut) return;
    results.set(item, result);
    printer.step(item, result);
    count(result);
    stop ??= result.stop ?? null;
  }

  function fail(item: Item, thrown: unknown): void {
    const error = describeHistoryError(thrown);
    if (!(error instanceof CliError)) throw error;
    finish(item, resultOfError(error));
  }

  function count(result: ItemResult): void {
    if (result.outcome === 'applied' || result.outcome === 'exists') pace.succeeded();
    else if (result.outcome !== 'skipped') pace.failed();
    // A change that was not sent, because only the user can settle it, says nothing about the service.
    const isUnanswered = result.outcome === 'unknown' && result.reason !== undefined;
    consecutiveUnknown = isUnanswered ? consecutiveUnknown + 1 : 0;
    if (consecutiveUnknown < maxConsecutiveUnknown) return;
    stop ??= new CliError({
      code: 'outcome_unknown',
      exitCode: exitCodes.unknown,
      what: result.reason ?? result.message,
      next: [{ run: ['history', 'list', '--state', 'open'], rest: 'to see what is in doubt' }],
      outcome: 'unknown',
    });
  }

  async function sendOne(item: Item, channel: Channel<Item>): Promise<void> {
    if (batch.known(item) !== null) return;
    try {
      const result = await channel.send(item);
      if (result !== null) finish(item, result);
    } catch (error) {
      fail(item, error);
    }
  }

  try {
    const limits = { maxAtOnce: pace.maxAtOnce, onRetry: pace.failed, isOver, signal: grace.signal };
    const opened = await batch.open(limits);
    channel = opened;
    const limit = batch.atOnce === 1 ? 1 : maxPending;
    await forEachConcurrently(items, limit, (item) => sendOne(item, opened), isOver);
  } finally {
    channel?.end?.();
    grace.dispose();
    printer.end(ended());
  }
  if (signal.aborted) stop ??= cancelledError();
  return { ended: ended(), stop };
}

/** Calls `work` for every item in order, at most `limit` at a time, and starts no further one once `isOver` returns true. */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let hasFailed = false;
  const worker = async () => {
    while (!hasFailed && !isOver()) {
      const next = iterator.next();
      if (next.done === true) return;
      await work(next.value).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  // Wait for all workers before throwing, so that nothing is still being sent when the error is printed.
  const ended = await Promise.allSettled(Array.from({ length: limit }, worker));
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
