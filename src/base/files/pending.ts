import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../system-error.ts';

const pendingRetries = 10;
const pendingPauseMs = 100;

/**
 * Windows refuses what is done with a file while an indexer or a virus scanner has it open, or while it is being removed and
 * another process still has it open. That is over in a moment, so `action` is tried for a second.
 */
export async function retryWhilePending<Result>(platform: string, action: () => Result): Promise<Result> {
  for (let retries = pendingRetries; ; retries -= 1) {
    try {
      return action();
    } catch (error) {
      if (retries === 0 || !isPending(platform, error)) throw error;
      await sleep(pendingPauseMs);
    }
  }
}

/** As {@link retryWhilePending}, where nothing else goes on meanwhile. */
export function retryWhilePendingSync<Result>(platform: string, action: () => Result): Result {
  for (let retries = pendingRetries; ; retries -= 1) {
    try {
      return action();
    } catch (error) {
      if (retries === 0 || !isPending(platform, error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pendingPauseMs);
    }
  }
}

/** `error` is what the file system threw, or the failure that was made of it. */
function isPending(platform: string, error: unknown): boolean {
  if (platform !== 'win32') return false;
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].some((one) => ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(one)));
}
