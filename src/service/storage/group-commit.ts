import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './engine-errors.ts';
import { StorageBusyError } from './errors.ts';

export interface GroupCommitOptions {
  /** Runs SQL on the connection that the work uses. */
  readonly exec: (sql: string) => void;
  /** Keeps other uses of the connection out while `turn` runs. */
  readonly alone: (turn: () => Promise<void>) => Promise<void>;
  /** How long a write waits while another process holds the database, in ms. */
  readonly patienceMs: number;
  /** How many writes share a commit at most: the first of them waits for the last. */
  readonly maxGroup: number;
}

interface Job {
  readonly work: () => Promise<unknown>;
  readonly deadline: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommit {
  /** Resolves or rejects as `work` does, once all that it did is on disk. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when nothing is queued or running. */
  idle(): Promise<void>;
}

/**
 * Writes that arrive together share a transaction, and so one sync of the disk, which costs more than all the rest.
 * Each has a savepoint: what fails is undone alone. All answers, refusals too, wait for the commit, since a refusal
 * may rest on what another write of the group has done. A commit that fails rejects all of the group.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { exec, alone, patienceMs, maxGroup } = options;
  const queue: Job[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (queue.length > 0) {
      // Lets everything that has arrived in this turn of the event loop queue up.
      await new Promise((resolve) => setImmediate(resolve));
      await alone(async () => {
        if (await begin()) await commitGroup();
      });
    }
    running = undefined;
  }

  /** Takes the write lock. False when all that waited has been rejected. */
  async function begin(): Promise<boolean> {
    for (let pause = 1; queue.length > 0; pause = Math.min(pause * 2, 50)) {
      try {
        exec('begin immediate');
        return true;
      } catch (error) {
        rejectQueued(error, isBusy(error) ? performance.now() + pause : Number.POSITIVE_INFINITY);
      }
      if (queue.length > 0) await sleep(pause * (0.5 + Math.random() / 2));
    }
    return false;
  }

  /** Rejects what may not wait until `time`. */
  function rejectQueued(error: unknown, time: number): void {
    const cause = isBusy(error)
      ? new StorageBusyError('another process holds the database', { cause: error })
      : error;
    while (queue[0] !== undefined && queue[0].deadline < time) queue.shift()?.reject(cause);
  }

  async function commitGroup(): Promise<void> {
    const group: Job[] = [];
    const settled: (() => void)[] = [];
    try {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
        group.push(job);
        settled.push(await runInSavepoint(job));
        if (group.length === maxGroup) break;
      }
      exec('commit');
    } catch (cause) {
      undo();
      const error = new StorageBusyError('the database could not save the changes', { cause });
      for (const { reject } of group) reject(error);
      return;
    }
    for (const settle of settled) settle();
  }

  /** Rejects when the transaction itself is gone: the engine ends it when the disk fails or is full. */
  async function runInSavepoint({ work, resolve, reject }: Job): Promise<() => void> {
    exec('savepoint request');
    try {
      const result = await work();
      exec('release request');
      return () => resolve(result);
    } catch (error) {
      exec('rollback to request');
      exec('release request');
      return () => reject(error);
    }
  }

  function undo(): void {
    try {
      exec('rollback');
    } catch {
      // The engine has ended the transaction already.
    }
  }

  return {
    write<Result>(work: () => Promise<Result>): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        const deadline = performance.now() + patienceMs;
        queue.push({ work, deadline, resolve: (result) => resolve(result as Result), reject });
        running ??= run();
      });
    },
    async idle() {
      await running;
    },
  };
}
