import { faultOf } from '../core/engine-errors.ts';
import { StorageBusyError } from '../core/errors.ts';
import type { EngineConnection } from './connection.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

/** How many changes share a commit at most: the first of them waits for the last. */
const maxGroup = 256;

export interface GroupCommitOptions {
  readonly connection: EngineConnection;
  /** Called after each commit, before its changes resolve. */
  readonly onCommit: (changes: number) => void;
  /** How long changes wait while the database is locked by another process, in ms. */
  readonly timeoutMs: number;
}

interface Job {
  readonly work: () => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommit {
  /** Resolves or rejects as `work` does, once everything it did is on disk. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when nothing is queued or running. */
  idle(): Promise<void>;
}

/**
 * Changes that arrive together share a transaction and so one fsync, which takes longer than everything else. Each has a
 * savepoint, so that one that fails is undone alone. All results wait for the commit, refusals too: a refusal may rest on
 * what another change of the group has done. A commit that fails rejects the whole group.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { connection, onCommit, timeoutMs } = options;
  const queue: Job[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (queue.length > 0) {
      await waitForMore();
      await connection.exclusively(async () => {
        if (await begin()) await commitGroup(queue.splice(0, maxGroup));
      });
    }
    running = undefined;
  }

  /** Requests that arrive together take a few turns of the event loop to come in. Waits for a turn that adds none. */
  async function waitForMore(): Promise<void> {
    let known: number;
    do {
      known = queue.length;
      await new Promise((resolve) => setImmediate(resolve));
    } while (queue.length > known && queue.length < maxGroup);
  }

  /** Takes the write lock. False when another process has held it for so long that every change in the queue was rejected. */
  async function begin(): Promise<boolean> {
    try {
      await retryWhileBusy(timeoutMs, async () => connection.beginWrite());
      return true;
    } catch (error) {
      for (const { reject } of queue.splice(0)) reject(cannotSave(error));
      return false;
    }
  }

  async function commitGroup(group: readonly Job[]): Promise<void> {
    const settlements: (() => void)[] = [];
    try {
      for (const job of group) settlements.push(await runInSavepoint(job));
      connection.commit();
    } catch (cause) {
      if (connection.isInTransaction()) connection.rollback();
      for (const { reject } of group) reject(cannotSave(cause));
      return;
    }
    onCommit(group.length);
    for (const settle of settlements) settle();
  }

  /** Returns the function that settles the job. Rejects if the engine has ended the transaction. */
  async function runInSavepoint({ work, resolve, reject }: Job): Promise<() => void> {
    connection.setSavepoint();
    try {
      const result = await work();
      connection.releaseSavepoint();
      return () => resolve(result);
    } catch (error) {
      // No other change of the group can be saved either.
      if (!connection.isInTransaction() || faultOf(error) !== null) throw error;
      connection.rollbackToSavepoint();
      connection.releaseSavepoint();
      return () => reject(error);
    }
  }

  return {
    write<Result>(work: () => Promise<Result>): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        queue.push({ work, resolve: (result) => resolve(result as Result), reject });
        running ??= run();
      });
    },
    async idle() {
      await running;
    },
  };
}

function cannotSave(cause: unknown): StorageBusyError {
  if (cause instanceof StorageBusyError) return cause;
  return new StorageBusyError('the database could not save the changes', { cause });
}
