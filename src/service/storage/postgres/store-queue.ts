import { StorageBusyError } from '../core/errors.ts';

interface Waiting {
  begin(): void;
  readonly timer: NodeJS.Timeout;
}

interface Turns {
  running: number;
  readonly waiting: Waiting[];
}

/** Runs `turn` when it is its turn among those of its store. */
export type StoreQueue = <Result>(storeId: string, turn: () => Promise<Result>) => Promise<Result>;

/**
 * Changes of one store wait for each other, and each that waits in the database has a connection. So that one busy store
 * does not keep all others from theirs, only `mostAtOnce` of its changes are there at a time; the others wait here, in
 * order, and for up to `patienceMs`. Then they reject with a StorageBusyError.
 */
export function createStoreQueue(mostAtOnce: number, patienceMs: number): StoreQueue {
  const stores = new Map<string, Turns>();

  function wait({ waiting }: Turns): Promise<void> {
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

  return async (storeId, turn) => {
    const turns = stores.get(storeId) ?? { running: 0, waiting: [] };
    stores.set(storeId, turns);
    // Whoever ends hands its place on, so `running` stays as it is.
    if (turns.running >= mostAtOnce) await wait(turns);
    else turns.running += 1;
    try {
      return await turn();
    } finally {
      const next = turns.waiting.shift();
      clearTimeout(next?.timer);
      next?.begin();
      if (next === undefined) turns.running -= 1;
      if (turns.running === 0) stores.delete(storeId);
    }
  };
}
