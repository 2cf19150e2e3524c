import type { Clock } from './clock.ts';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const FIRST_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 5_000;
/** Each request that passes shortens the interval by this factor, so that the rate recovers. */
const RECOVERY = 0.97;

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * How fast one service is asked: at full speed until it answers 425 or 429, then more slowly. All requests of a client
 * share it, so one refusal pauses them all. All times are milliseconds of the monotonic clock.
 */
export function createThrottle({ monotonic }: Pick<Clock, 'monotonic'>) {
  let pausedUntil = 0;
  /** Time between two requests, 0 for none. */
  let intervalMs = 0;
  let nextSlot = 0;
  let throttledInARow = 0;
  let lastThrottledAt = Number.NEGATIVE_INFINITY;

  /** The service has asked to wait this long. */
  function pause(ms: number): void {
    pausedUntil = Math.max(pausedUntil, monotonic() + ms);
  }

  return {
    /** Milliseconds until the next request may be sent, at least `delayMs`. Each call takes a slot. */
    reserve(delayMs: number): number {
      const now = monotonic();
      const at = Math.max(now + delayMs, pausedUntil, intervalMs === 0 ? 0 : nextSlot);
      nextSlot = at + intervalMs;
      return at - now;
    },
    /** Whether the service was asked to be left alone after a slot was taken. */
    isPaused: () => monotonic() < pausedUntil,
    pause,
    /** A request that began at `startedAt` got a 425 or 429. */
    throttled(startedAt: number, retryAfterMs: number | null): void {
      // Requests that were in flight together are throttled together: that is one sign, not several.
      if (startedAt >= lastThrottledAt) {
        throttledInARow += 1;
        intervalMs = Math.min(Math.max(FIRST_INTERVAL_MS, intervalMs * 2), MAX_INTERVAL_MS);
        lastThrottledAt = monotonic();
        nextSlot = 0;
      }
      pause(retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** (throttledInARow - 1), MAX_PAUSE_MS));
    },
    /** A request got any other response. */
    passed(): void {
      throttledInARow = 0;
      intervalMs = intervalMs < 1 ? 0 : intervalMs * RECOVERY;
    },
  };
}
