import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from '../core/engine-errors.ts';
import { StorageBusyError } from '../core/errors.ts';

/** Runs `attempt` again while the engine says busy, and lets others run in between: one of them may hold the lock. */
export async function retryWhileBusy<Result>(
  timeoutMs: number,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() + pause > deadline) {
        throw new StorageBusyError(
          'the database is locked by another process',
          { cause: error },
          'wait until the other process is done, then try again',
        );
      }
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}
