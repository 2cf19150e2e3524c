import { StorageBusyError, UnknownCommitError } from '../storage/core/errors.ts';
import type { Storage } from '../storage/core/storage.ts';
import { findFullAt, takeToken } from '../storage/queries/rate-limits.ts';

export interface RateLimit {
  readonly perSecond: number;
  /** How many requests a key can send at once after a pause. */
  readonly burst: number;
}

export interface RateLimiter {
  /** Counts a request of a key at a time (epoch ms). Returns 0, or how many seconds the key must wait. */
  take(key: { readonly storeId: string; readonly keyId: string }, now: number): Promise<number>;
}

/**
 * A token bucket per key: in the database on PostgreSQL, which several instances may share, else in memory. A bucket is
 * stored as the time at which it will be full.
 */
export function createRateLimiter(storage: Storage, limit: RateLimit): RateLimiter {
  // In 1024ths, which add to a time without rounding. Rounding could lose the last request of a burst.
  const tokenMs = Math.floor((1000 * 1024) / limit.perSecond) / 1024;
  const rate = { tokenMs, burst: limit.burst };
  return storage.engine === 'postgres' ? createSharedLimiter(storage, rate) : createLocalLimiter(rate);
}

interface Rate {
  /** Time in which the bucket gains one token. */
  readonly tokenMs: number;
  readonly burst: number;
}

function createLocalLimiter({ tokenMs, burst }: Rate): RateLimiter {
  const fullAtByKey = new Map<string, number>();
  return {
    async take({ keyId }, now) {
      const fullAt = Math.max(fullAtByKey.get(keyId) ?? now, now) + tokenMs;
      const waitMs = fullAt - (now + burst * tokenMs);
      if (waitMs > 0) return Math.ceil(waitMs / 1000);
      fullAtByKey.set(keyId, fullAt);
      return 0;
    },
  };
}

function createSharedLimiter(storage: Storage, { tokenMs, burst }: Rate): RateLimiter {
  return {
    async take({ storeId, keyId }, now) {
      const taking = storage.forStore(storeId).write(async (db) => {
        const tenant = { db, storeId };
        const isTaken = (await takeToken(tenant, { keyId, now, tokenMs, burst })) !== undefined;
        if (isTaken) return 0;
        const fullAt = (await findFullAt(tenant, keyId)) ?? now;
        return Math.max(1, Math.ceil((fullAt + tokenMs - now - burst * tokenMs) / 1000));
      });
      return taking.catch((error: unknown) => {
        if (!(error instanceof UnknownCommitError)) throw error;
        // At most a token is lost: the request itself has not begun.
        throw new StorageBusyError('the database connection was lost', { cause: error });
      });
    },
  };
}
