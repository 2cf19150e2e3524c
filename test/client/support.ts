import { openClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/client-types.ts';
import type { Clock } from '../../src/client/clock.ts';

export const apiKey = 'sk_test_0a1b2c3d4e5f6g7h';

/** Real time, but sleeping takes none: it is recorded and moves the clock instead. */
export interface SkippingClock extends Clock {
  /** Milliseconds of each sleep. */
  readonly sleeps: readonly number[];
}

export function skippingClock(): SkippingClock {
  const sleeps: number[] = [];
  let skipped = 0;
  return {
    sleeps,
    now: () => Date.now() + skipped,
    // Whole, so that sums are exact.
    monotonic: () => Math.floor(performance.now()) + skipped,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      sleeps.push(ms);
      skipped += ms;
    },
  };
}

/** A client that does not wait between attempts. */
export function clientFor(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const client = openClient({
    baseUrl,
    apiKey,
    userAgent: 'storectl/1.2.3',
    env: {},
    clock: skippingClock(),
    ...options,
  });
  return { ...client, [Symbol.asyncDispose]: () => client.close() };
}
