import { setTimeout as wait } from 'node:timers/promises';

/** Time as the client sees it. Passed in, so that tests need not wait. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves no earlier than `ms` milliseconds from now by `now()`; rejects when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    const until = Date.now() + ms;
    // A timer may fire a millisecond early, and a floor is a floor.
    for (let rest = ms; rest > 0; rest = until - Date.now()) {
      await wait(Math.ceil(rest), undefined, signal && { signal });
    }
  },
};
