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

/** The run that those of a batch are made from. */
export async function startBatch(
  context: Context,
  operation: Operation,
  fields: readonly FieldFlag[],
): Promise<Run> {
  const target = await context.connect();
  const problem = pathParameterProblem(target.storeId);
  if (problem !== null) throw usageError(`--store ${problem}`, 'give the id as the service shows it');
  // Requests wait where the service says "too many requests", since one that was refused so had no effect.
  const parsed: ParsedCommand = { arguments: {}, options: new Map([['--retry-rate-limited', true]]) };
  return {
    target,
    request: { operation, parameters: {}, body: null },
    ui: { context, parsed, fields, interview: null },
  };
}

/** The batch of a run that {@link startBatch} has made. */
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
    retryRateLimited: true,
  });
}

/** Does the work while no other batch of the operation is at work on the store: a second one waits, and goes on then. */
export async function alone<Result>(
  { target, request: { operation }, ui: { context } }: Run,
  work: () => Promise<Result>,
): Promise<Result> {
  const { signal } = context.io;
  const history = await context.history();
  const lock = await history
    .acquire(`batch ${operation.id} ${target.origin} ${target.storeId}`, {
      signal,
      onWait: () => context.notice('another storectl is at a batch for this store: waiting for it'),
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

/** Does the work, which hands over its results as a JSON document for `--output-file`. */
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

/** Calls `work` for every item, at most `limit` at a time, in order, until `isOver` says to begin no more. */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length && !isOver()) {
      const index = next++;
      const item = items[index];
      if (item !== undefined) await work(item, index);
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker);
  // All of them end before an error goes on: none may still be sending while the program says what was sent.
  const results = await Promise.allSettled(workers);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** How long a request that is under way when the user presses Ctrl-C may take to be answered. */
const GRACE_MS = 10_000;

/**
 * The context for requests of a batch: what is under way when the user cancels is let come to its end, so that its
 * outcome is known. `dispose` when the batch is over.
 */
export function withGrace(context: Context): { context: Context; dispose(): void } {
  const { signal } = context.io;
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => controller.abort(), GRACE_MS);
  };
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    context: { ...context, io: { ...context.io, signal: controller.signal } },
    dispose() {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}

/** Most serious first: what may have happened, what stopped the rest, then what a person has to look at. */
const bySeriousness: readonly ExitCode[] = [
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
export function gravestExitCode(codes: readonly ExitCode[]): ExitCode {
  return bySeriousness.find((code) => codes.includes(code)) ?? exitCodes.done;
}

/** What ended a batch, in words that are true of all of it: something may have been sent before. */
export function wordsOfBatch(wordsOfItem: string): string {
  return wordsOfItem.replace('nothing was sent', 'nothing more was sent');
}

/** Whether an error is about this one item, so that the others can go on. */
export function concernsOneItem(code: ExitCode): boolean {
  return (
    code === exitCodes.usage ||
    code === exitCodes.notFound ||
    code === exitCodes.conflict ||
    code === exitCodes.rejected
  );
}
