import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from '../core/engine-errors.ts';
import { StorageBusyError } from '../core/errors.ts';
import { gather } from './gather.ts';

/** What group commit needs of the connection that the work uses. */
export interface WritingConnection {
  /** Begins a transaction that may write. Throws the engine's busy error while another process does. */
  begin(options: { readonly withSavepoints: boolean }): void;
  /** Does what has been put off in the transaction. Throws as the engine does. */
  flush(): void;
  /** Returns when the transaction is on disk. */
  commit(): void;
  rollback(): void;
  setSavepoint(): void;
  releaseSavepoint(): void;
  rollbackToSavepoint(): void;
  /** False when the engine has ended the transaction by itself, as it does when the disk fails or is full. */
  isInTransaction(): boolean;
  /** Number of statements so far that may have changed something. */
  changes(): number;
  /** Keeps other uses of the connection out while `turn` runs. */
  alone(turn: () => Promise<void>): Promise<void>;
}

export interface GroupCommitOptions {
  readonly connection: WritingConnection;
  /** Called after each commit, before those who wait for it are told. */
  readonly onCommit: () => void;
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
 * What fails is undone alone. Hardly any write fails once it has changed something, and savepoints cost as much as the
 * changes themselves: so a group has none at first, and is undone and run again with one for each write when it has to.
 * All answers, refusals too, wait for the commit, since a refusal may rest on what another write of the group has done.
 * A commit that fails rejects all of the group.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { connection, onCommit, patienceMs, maxGroup } = options;
  const queue: Job[] = [];
  /** How many of the first in the queue are to be run with savepoints. */
  let needSavepoints = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (queue.length > 0) {
      await gather(() => queue.length, maxGroup);
      await connection.alone(async () => {
        if (await begin()) await commitGroup();
      });
    }
    running = undefined;
  }

  /** Takes the write lock. False when all that waited has been rejected. */
  async function begin(): Promise<boolean> {
    for (let pause = 1; queue.length > 0; pause = Math.min(pause * 2, 50)) {
      try {
        connection.begin({ withSavepoints: needSavepoints > 0 });
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
    if (queue.length === 0) needSavepoints = 0;
  }

  async function commitGroup(): Promise<void> {
    const withSavepoints = needSavepoints > 0;
    const group = queue.splice(0, needSavepoints || maxGroup);
    needSavepoints = 0;
    try {
      const settled = await (withSavepoints ? runWithSavepoints(group) : runBare(group));
      if (settled === null) {
        connection.rollback();
        queue.unshift(...group);
        needSavepoints = group.length;
        return;
      }
      connection.commit();
      onCommit();
      for (const settle of settled) settle();
    } catch (cause) {
      undo();
      const error = new StorageBusyError('the database could not save the changes', { cause });
      for (const { reject } of group) reject(error);
    }
  }

  /** Null when one has failed that has changed something. Rejects when the transaction itself is gone. */
  async function runBare(group: readonly Job[]): Promise<(() => void)[] | null> {
    const settled: (() => void)[] = [];
    for (const { work, resolve, reject } of group) {
      const before = connection.changes();
      try {
        const result = await work();
        settled.push(() => resolve(result));
      } catch (error) {
        if (!connection.isInTransaction()) throw error;
        if (connection.changes() !== before) return null;
        settled.push(() => reject(error));
      }
    }
    try {
      connection.flush();
    } catch (error) {
      if (!connection.isInTransaction()) throw error;
      return null;
    }
    return settled;
  }

  /** Rejects when the transaction itself is gone. */
  async function runWithSavepoints(group: readonly Job[]): Promise<(() => void)[]> {
    const settled: (() => void)[] = [];
    for (const { work, resolve, reject } of group) {
      connection.setSavepoint();
      try {
        const result = await work();
        settled.push(() => resolve(result));
      } catch (error) {
        connection.rollbackToSavepoint();
        settled.push(() => reject(error));
      }
      connection.releaseSavepoint();
    }
    return settled;
  }

  function undo(): void {
    try {
      connection.rollback();
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
