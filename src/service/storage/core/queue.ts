import { StorageBusyError } from './errors.ts';

interface Waiting {
  begin(): void;
  readonly timer: NodeJS.Timeout;
}

interface Tasks {
  running: number;
  readonly waiting: Waiting[];
}

/** Runs a task when its group has a free slot. */
export type Queue = <Result>(group: string, task: () => Promise<Result>) => Promise<Result>;

/**
 * At most `maxRunning` tasks of a group run at a time. The others wait in order, and reject with a StorageBusyError after
 * `timeoutMs`.
 */
export function createQueue(maxRunning: number, timeoutMs: number): Queue {
  const groups = new Map<string, Tasks>();

  function wait({ waiting }: Tasks): Promise<void> {
    return new Promise((resolve, reject) => {
      const own: Waiting = {
        begin: resolve,
        timer: setTimeout(() => {
          waiting.splice(waiting.indexOf(own), 1);
          reject(new StorageBusyError('those before it take too long'));
        }, timeoutMs),
      };
      waiting.push(own);
    });
  }

  return async (group, task) => {
    const tasks = groups.get(group) ?? { running: 0, waiting: [] };
    groups.set(group, tasks);
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
      if (tasks.running === 0) groups.delete(group);
    }
  };
}
