import type { Operation } from '../../../contract/operation.ts';
import { pathParameterProblem } from '../../../contract/operation.ts';
import type { Batch, BatchOptions } from '../../../history/history.ts';
import type { Context } from '../../command/context.ts';
import { cancelledError, usageError } from '../../core/errors.ts';
import { type ExitCode, exitCodes } from '../../core/exit-codes.ts';
import { optionValue, type ParsedCommand } from '../../core/parsed-command.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { beginFile, outputFileOption } from '../../output/output-file.ts';
import type { Run } from './run.ts';
import { sendOptions } from './send.ts';

/** The run of a batch: its items copy it and add their own request. */
export async function startBatch(
  context: Context,
  operation: Operation,
  fields: readonly FieldFlag[],
): Promise<Run> {
  const target = await context.connect();
  const problem = pathParameterProblem(target.storeId);
  if (problem !== null) throw usageError(`--store ${problem}`, 'copy the whole id, for example 019a6f3e-…');
  const parsed: ParsedCommand = { arguments: {}, options: new Map() };
  return {
    target,
    request: { operation, parameters: {}, body: null },
    ui: { context, parsed, fields, interview: null },
  };
}

/** Begins the batch in the history for a run from {@link startBatch}. */
export async function beginBatch(
  { target, request: { operation, parameters }, ui: { context } }: Run,
  limits: Pick<BatchOptions, 'maxAtOnce' | 'onRetry' | 'isOver'>,
): Promise<Batch> {
  const { client, profile, origin, storeId, secret } = target;
  const history = await context.history();
  return history.beginBatch({
    ...sendOptions(context),
    ...limits,
    client,
    operation,
    profile,
    origin,
    storeId,
    parameters,
    secrets: [secret],
  });
}

/** Runs `work` under a lock, so that two batches of one operation on one store run one after the other. */
export async function withBatchLock<Result>(
  { target, request: { operation }, ui: { context } }: Run,
  work: () => Promise<Result>,
): Promise<Result> {
  const { signal } = context.io;
  const history = await context.history();
  const lock = await history
    .acquire(`batch ${operation.id} ${target.origin} ${target.storeId}`, {
      signal,
      onWait: () => context.notice('Waiting for another storectl batch to finish…'),
    })
    .catch((error: unknown) => {
      throw signal.aborted ? cancelledError() : error;
    });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Runs `work` with a function that writes the results to `--output-file`. */
export async function withResultsFile<Result>(
  { io }: Context,
  parsed: ParsedCommand,
  work: (write: (document: unknown) => void) => Promise<Result>,
): Promise<Result> {
  const file = optionValue(parsed, outputFileOption.flag);
  if (file === undefined) return work(() => {});
  const pending = beginFile(io.cwd, file);
  let isComplete = false;
  try {
    return await work((document) => {
      isComplete = true;
      pending.complete(`${JSON.stringify(document)}\n`);
    });
  } finally {
    if (!isComplete) pending.discard();
  }
}

/** Calls `work` for every item in order, at most `limit` at a time, and starts no more once `isOver` returns true. */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length && !isOver()) {
      const item = items[next++];
      if (item !== undefined) await work(item);
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker);
  // Wait for all workers before throwing, so that nothing is still being sent when the error is printed.
  const results = await Promise.allSettled(workers);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** How long requests in flight may still take after Ctrl-C. */
const GRACE_MS = 10_000;

/**
 * A context whose requests in flight may finish after Ctrl-C, so that their outcome is known. Call `dispose` when the
 * batch has ended.
 */
export function withGrace(context: Context): { context: Context; dispose(): void } {
  const { signal } = context.io;
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let ignoreSecond = () => {};
  const onAbort = () => {
    context.notice(
      `Stopping: waiting up to ${GRACE_MS / 1000} s for requests in progress. Press Ctrl-C again to stop immediately.`,
    );
    const stop = () => controller.abort();
    timer = setTimeout(stop, GRACE_MS);
    ignoreSecond = context.io.onSecondInterrupt?.(stop) ?? ignoreSecond;
  };
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    context: { ...context, io: { ...context.io, signal: controller.signal } },
    dispose() {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
      ignoreSecond();
    },
  };
}

/** Most severe first: unknown outcomes, then what stopped the batch, then single items. */
const bySeverity: readonly ExitCode[] = [
  exitCodes.bug,
  exitCodes.unknown,
  exitCodes.localState,
  exitCodes.notAllowed,
  exitCodes.cancelled,
  exitCodes.throttled,
  exitCodes.notApplied,
  exitCodes.conflict,
  exitCodes.notFound,
  exitCodes.rejected,
  exitCodes.inputNeeded,
  exitCodes.usage,
];

/** The exit code of several results. */
export function mostSevereExitCode(codes: readonly ExitCode[]): ExitCode {
  return bySeverity.find((code) => codes.includes(code)) ?? exitCodes.done;
}

/** `37 created, 2 failed`: how often each word is given, in the order of `order`. */
export function describeCounts(given: readonly string[], order: readonly string[] = given): string {
  return [...new Set(order)]
    .map((word) => [given.filter((one) => one === word).length, word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

/** Rephrases the error of one item for the whole batch: earlier items may have been sent. */
export function rephraseForBatch(text: string): string {
  return text.replace('nothing was sent', 'nothing more was sent');
}

/** Whether an error concerns one item only, so that the batch can continue. */
export function concernsOneItem(code: ExitCode): boolean {
  return (
    code === exitCodes.usage ||
    code === exitCodes.notFound ||
    code === exitCodes.conflict ||
    code === exitCodes.rejected
  );
}
