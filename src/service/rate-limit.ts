export interface RateLimit {
  readonly perSecond: number;
  /** How many requests may come at once after a pause. */
  readonly burst: number;
}

export interface RateLimiter {
  /** Counts one request of a key at a time (epoch ms). Answers 0, or for how many seconds the key has to wait. */
  take(keyId: string, now: number): Promise<number>;
}

/** A token bucket for each key, in the memory of this process. */
export function createRateLimiter({ perSecond, burst }: RateLimit): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();

  function refill(keyId: string, now: number) {
    const bucket = buckets.get(keyId) ?? { tokens: burst, at: now };
    const elapsed = Math.max(0, now - bucket.at);
    return { tokens: Math.min(burst, bucket.tokens + (elapsed / 1000) * perSecond), at: now };
  }

  return {
    async take(keyId, now) {
      const bucket = refill(keyId, now);
      buckets.set(keyId, bucket);
      if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perSecond);
      bucket.tokens -= 1;
      return 0;
    },
  };
}
