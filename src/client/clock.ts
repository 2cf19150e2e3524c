import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';

/** Time as the client sees it. Passed in, so that tests need not wait. */
export interface Clock {
  /** Epoch milliseconds, for times that people read. It may jump at any moment. */
  now(): number;
  /** Milliseconds since some moment: for deadlines and waits. Only ever goes forward, at the pace of real time. */
  monotonic(): number;
  /** Resolves no earlier than `ms` milliseconds from now by `monotonic()`; rejects when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: monotonicMs,
  async sleep(ms, signal) {
    const until = monotonicMs() + ms;
    // A timer may fire a millisecond early, and a floor is a floor.
    for (let rest = ms; rest > 0; rest = until - monotonicMs()) {
      await wait(Math.min(Math.ceil(rest), MAX_TIMER_MS), undefined, signal && { signal });
    }
  },
};

/** Longer timers fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
