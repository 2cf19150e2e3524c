import { StorageBusyError } from '../core/errors.ts';

interface Waiting {
  begin(): void;
  readonly timer: NodeJS.Timeout;
}

interface StoreTasks {
  running: number;
  readonly waiting: Waiting[];
}

/** Runs a task when the store has a free slot. */
export type StoreQueue = <Result>(storeId: string, task: () => Promise<Result>) => Promise<Result>;

/**
 * Changes of one store wait for each other in the database, each with a connection. To keep connections free for other
 * stores, at most `maxRunning` changes of a store are there at a time. The others wait here in order, and reject with a
 * StorageBusyError after `patienceMs`.
 */
export function createStoreQueue(maxRunning: number, patienceMs: number): StoreQueue {
  const stores = new Map<string, StoreTasks>();

  function wait({ waiting }: StoreTasks): Promise<void> {
    return new Promise((resolve, reject) => {
      const own: Waiting = {
        begin: resolve,
        timer: setTimeout(() => {
          waiting.splice(waiting.indexOf(own), 1);
          reject(new StorageBusyError('other changes of the store take too long'));
        }, patienceMs),
      };
      waiting.push(own);
    });
  }

  return async (storeId, task) => {
    const tasks = stores.get(storeId) ?? { running: 0, waiting: [] };
    stores.set(storeId, tasks);
    // A task that finishes passes its slot on, so `running` stays the same.
    if (tasks.running >= maxRunning) await wait(tasks);
    else tasks.running += 1;
    try {
      return await task();
    } finally {
      const next = tasks.waiting.shift();
      clearTimeout(next?.timer);
      next?.begin();
      if (next === undefined) tasks.running -= 1;
      if (tasks.running === 0) stores.delete(storeId);
    }
  };
}
