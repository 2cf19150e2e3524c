import type { BatchOptions } from '../../history/changes/batch.ts';
import type { Ui } from '../command/ui.ts';

/** How fast a batch may go, and when it has to stop. */
export interface Limits extends Pick<BatchOptions, 'maxAtOnce' | 'isOver' | 'onRetry'> {
  /** Ends requests in flight: some time after Ctrl-C, or at the second one. */
  readonly signal: AbortSignal;
}

/** Requests in flight when a service or a process dies have unknown outcomes, so a batch starts with few. */
const initialConcurrency = 4;

/** Faster than {@link initialConcurrency}: the row `storectl blog create` of the bench compares it with a pool of as many. */
const fullConcurrency = 10;

/** Consecutive successes at the first attempt before a batch uses the full concurrency. */
const successesBeforeFull = 20;

/** Items that are being recorded or sent. */
export const maxPending = 4 * fullConcurrency;

/** The number of requests in flight, which grows with success. */
export function startPace(atOnce: 1 | 'adaptive') {
  let consecutiveSuccesses = 0;
  return {
    maxAtOnce(): number {
      if (atOnce === 1) return 1;
      return consecutiveSuccesses < successesBeforeFull ? initialConcurrency : fullConcurrency;
    },
    succeeded(): void {
      consecutiveSuccesses += 1;
    },
    failed(): void {
      consecutiveSuccesses = 0;
    },
  };
}

/** How long requests in flight may still take after Ctrl-C. */
const graceMs = 10_000;

/** A signal that lets requests in flight finish after Ctrl-C, so that their outcome is known. Aborts at once while nothing is sent. */
export function startGrace({ io, notice }: Ui, isSending: () => boolean) {
  const { signal } = io;
  const controller = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let ignoreSecond = () => {};
  const onAbort = () => {
    const stop = () => controller.abort();
    if (!isSending()) return stop();
    const text = `Stopping: waiting up to ${graceMs / 1000} s for requests in progress. Press Ctrl-C again to stop immediately.`;
    timers.push(setTimeout(stop, graceMs));
    // Requests that only wait end at once. If there are no others, the notice is not needed.
    timers.push(setTimeout(() => notice(text), 200));
    ignoreSecond = io.onSecondInterrupt?.(stop) ?? ignoreSecond;
  };
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    dispose(): void {
      signal.removeEventListener('abort', onAbort);
      timers.forEach(clearTimeout);
      ignoreSecond();
    },
  };
}
