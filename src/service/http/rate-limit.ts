import { ServiceError } from '../model/errors.ts';

export interface RateLimit {
  readonly perSecond: number;
  /** How many can come at once after a pause. */
  readonly burst: number;
}

/** For `RateLimit-Policy` (the IETF's): as many requests as a burst in the time in which a bucket fills. */
export function policyOf({ perSecond, burst }: RateLimit): string {
  return `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`;
}

export interface RateLimiter {
  /**
   * Takes a token at a time, in milliseconds by a clock that is never put back. Throws `rate_limited` if the bucket of this
   * name has none.
   */
  take(name: string, now: number): void;
  /** Throws as `take` would, and takes nothing. */
  check(name: string, now: number): void;
}

/** Names to remember before full buckets are dropped. */
const manyBuckets = 10_000;

/** A token bucket per name, in memory, as in nginx: each instance has its own. It is stored as the time when it is full. */
export function createRateLimiter({ perSecond, burst }: RateLimit): RateLimiter {
  // In 1024ths, which add to a time without rounding. Rounding could lose the last request of a burst.
  const tokenMs = Math.floor((1000 * 1024) / perSecond) / 1024;
  const fullAtByName = new Map<string, number>();
  let sweepAt = manyBuckets;

  function sweep(now: number): void {
    for (const [name, fullAt] of fullAtByName) if (fullAt <= now) fullAtByName.delete(name);
    sweepAt = Math.max(manyBuckets, 2 * fullAtByName.size);
  }

  /** When the bucket is full again if a token is taken now. */
  function fullAfterTaking(name: string, now: number): number {
    // Whole milliseconds, for the same reason.
    const start = Math.floor(now);
    const emptyFullAt = start + burst * tokenMs;
    const fullAt = Math.max(fullAtByName.get(name) ?? start, start) + tokenMs;
    if (fullAt > emptyFullAt) {
      const wait = String(Math.ceil((fullAt - emptyFullAt) / 1000));
      throw new ServiceError('rate_limited', `Try again in ${wait} s`, { headers: { 'Retry-After': wait } });
    }
    return fullAt;
  }

  return {
    check: (name, now) => void fullAfterTaking(name, now),
    take(name, now) {
      const fullAt = fullAfterTaking(name, now);
      if (fullAtByName.size >= sweepAt) sweep(now);
      fullAtByName.set(name, fullAt);
    },
  };
}
