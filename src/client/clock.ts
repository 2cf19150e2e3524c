import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';

/** The clock of the client. Tests pass in their own, so that they need not wait. */
export interface Clock {
  /** Epoch milliseconds, for times that people read. This clock may be set at any moment. */
  now(): number;
  /** Milliseconds since some moment, for deadlines and waits. This clock cannot be set. */
  monotonic(): number;
  /** Resolves no earlier than `ms` milliseconds from now by `monotonic()`; rejects when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: monotonicMs,
  async sleep(ms, signal) {
    const until = monotonicMs() + ms;
    // A timer may fire a millisecond early, and the service asked to wait at least this long.
    for (let rest = ms; rest > 0; rest = until - monotonicMs()) {
      await wait(Math.min(Math.ceil(rest), MAX_TIMER_MS), undefined, signal && { signal });
    }
  },
};

/** The longest timer of Node. A longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
