import type { Context } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { GlobalFlags } from './global-flags.ts';
import { getPath, setPath } from './paths.ts';

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

/** The results with the fields that `--fields` names, or whole. One that is missing is null. */
export function selectFrom(
  results: readonly object[],
  { fields }: Pick<GlobalFlags, 'fields'>,
): readonly object[] {
  if (fields === null) return results;
  return results.map((result) => {
    const selected: Record<string, unknown> = {};
    for (const path of fields) setPath(selected, path, getPath(result, path) ?? null);
    return selected;
  });
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

/** Whether an error is about this one item, so that the others can go on. */
export function concernsOneItem(code: ExitCode): boolean {
  return (
    code === exitCodes.usage ||
    code === exitCodes.notFound ||
    code === exitCodes.conflict ||
    code === exitCodes.rejected
  );
}
