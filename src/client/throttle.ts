import { backoffMs } from '../base/backoff.ts';
import type { Clock } from './clock.ts';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const FIRST_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 5_000;
/** Each request that is not throttled shortens the interval by this factor, so that the rate recovers. */
const RECOVERY = 0.97;

/** The longest window over which requests are spread. */
const MAX_WINDOW_MS = 60_000;
/** How many requests go at once before they are spread over the time that the service allows. */
const AT_ONCE = 5;
/** A factor for clocks that differ, and for a service that rounds. */
const ALLOWANCE_MARGIN = 1.05;

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * The quota and the window in milliseconds of the header `RateLimit-Policy` (`"default";q=20;w=2`); of several policies the strictest. Null
 * if there is none, or its window is longer than {@link MAX_WINDOW_MS}.
 */
export function parsePolicy(header: string): { readonly quota: number; readonly windowMs: number } | null {
  const policies = header.split(',').flatMap((policy) => {
    const [, quota] = /;\s*q=(\d{1,9})(?!\d)/.exec(policy) ?? [];
    const [, seconds] = /;\s*w=(\d{1,6})(?!\d)/.exec(policy) ?? [];
    const found = { quota: Number(quota ?? 0), windowMs: Number(seconds ?? 0) * 1000 };
    // The quota of a day is not spread over the day.
    return found.quota > 0 && found.windowMs > 0 && found.windowMs <= MAX_WINDOW_MS ? [found] : [];
  });
  const [strictest = null] = policies.toSorted((a, b) => b.windowMs / b.quota - a.windowMs / a.quota);
  return strictest;
}

/**
 * Says when the next request may go: at the rate that the service allows, at full speed if it does not say one, and more slowly after a 425
 * or 429. All requests of a client share one throttle, so one refusal pauses all of them. All times are milliseconds of the monotonic
 * clock.
 */
export function createThrottle({ monotonic }: Pick<Clock, 'monotonic'>) {
  let pausedUntil = 0;
  /** Time between two requests after a refusal; 0 for full speed. */
  let intervalMs = 0;
  let nextAt = 0;
  let throttledInARow = 0;
  let lastThrottledAt = Number.NEGATIVE_INFINITY;
  /** Time between two requests at the rate that the service allows; 0 if it does not say one. */
  let allowanceMs = 0;
  /** When the requests so far would be sent at that rate. */
  let usedUntil = 0;

  /** The service has asked to wait this long. */
  function pause(ms: number): void {
    pausedUntil = Math.max(pausedUntil, monotonic() + ms);
  }

  return {
    /** Milliseconds until the next request may be sent, at least `delayMs`. Each call reserves the time for one request. */
    reserve(delayMs: number): number {
      const now = monotonic();
      const within = allowanceMs === 0 ? 0 : usedUntil - (AT_ONCE - 1) * allowanceMs;
      const at = Math.max(now + delayMs, pausedUntil, intervalMs === 0 ? 0 : nextAt, within);
      nextAt = at + intervalMs;
      usedUntil = Math.max(usedUntil, at) + allowanceMs;
      return at - now;
    },
    /** The service allows `quota` requests in `windowMs`. They are spread, because an earlier command may have used some. */
    allow(quota: number, windowMs: number): void {
      allowanceMs = (windowMs / quota) * ALLOWANCE_MARGIN;
    },
    /** Whether requests wait because the service refused one, and not only to keep to the allowed rate. */
    isSlowed: () => monotonic() < pausedUntil || intervalMs > 0,
    /** Whether the service has asked to wait since the time was reserved. */
    isPaused: () => monotonic() < pausedUntil,
    pause,
    /** A request that began at `startedAt` got a 425 or 429. */
    throttled(startedAt: number, retryAfterMs: number | null): void {
      // Requests that were in flight together are refused together. They slow the rate down once.
      if (startedAt >= lastThrottledAt) {
        throttledInARow += 1;
        intervalMs = Math.min(Math.max(FIRST_INTERVAL_MS, intervalMs * 2), MAX_INTERVAL_MS);
        lastThrottledAt = monotonic();
        nextAt = 0;
      }
      pause(retryAfterMs ?? backoffMs(throttledInARow, { firstMs: FIRST_PAUSE_MS, maxMs: MAX_PAUSE_MS }));
    },
    /** A request got any other response. */
    passed(): void {
      throttledInARow = 0;
      intervalMs = intervalMs < 1 ? 0 : intervalMs * RECOVERY;
    },
  };
}
