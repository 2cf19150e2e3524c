import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../system-error.ts';

const pendingRetries = 10;
const pendingPauseMs = 100;

/**
 * Calls `action` again, for up to a second, while Windows refuses it. Windows refuses to touch a file that an indexer or a virus scanner has
 * open, or that was removed while another process has it open.
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

/** As {@link retryWhilePending}, but blocks the process. */
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

/** Whether Windows has refused an action for now. `error` is that of the file system, or the failure made from it. */
function isPending(platform: string, error: unknown): boolean {
  if (platform !== 'win32') return false;
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].some((one) => ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(one)));
}
