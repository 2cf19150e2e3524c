import { CompiledQuery } from 'kysely';
import { isAborted, isUnavailable } from '../core/engine-errors.ts';
import { StorageBusyError, UnknownCommitError } from '../core/errors.ts';
import type { Locks, Queries, Transactions, TransactionWork } from '../core/storage.ts';
import { allSettled } from './sessions.ts';

/** Changes that share a commit at most: the first of them waits for the last. */
const maxGroup = 64;

interface Job {
  readonly work: TransactionWork<unknown>;
  readonly isIndependent: boolean;
  /** From performance.now(). */
  readonly deadline: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs a change of a store in a transaction that `write` begins. */
export type ChangeGroups = <Result>(
  storeId: string,
  work: TransactionWork<Result>,
  isIndependent: boolean,
  write: Transactions['write'],
) => Promise<Result>;

/**
 * Changes of a store that arrive while others run form a group, which shares a connection, the lock of the store and a
 * commit: each would wait for the lock, which lasts until the commit, anyway. Independent ones run at the same time, so
 * that they wait for the answers of PostgreSQL together. One that fails is undone alone. Results wait for the commit. A
 * change waits for at most `patienceMs` to begin.
 */
export function createChangeGroups(patienceMs: number, onCommit: (changes: number) => void): ChangeGroups {
  /** By store: a store is in it while changes of it run. */
  const queues = new Map<string, Job[]>();

  async function run(storeId: string, queue: Job[], write: Transactions['write']): Promise<void> {
    queues.set(storeId, queue);
    while (queue.length > 0) {
      const now = performance.now();
      const group: Job[] = [];
      for (const job of queue.splice(0, maxGroup)) {
        if (job.deadline > now) group.push(job);
        else job.reject(new StorageBusyError('other changes of the store take too long'));
      }
      await commitGroup(group, write, onCommit);
    }
    queues.delete(storeId);
  }

  return <Result>(
    storeId: string,
    work: TransactionWork<Result>,
    isIndependent: boolean,
    write: Transactions['write'],
  ) =>
    new Promise<Result>((resolve, reject) => {
      const deadline = performance.now() + patienceMs;
      const settle = (result: unknown) => resolve(result as Result);
      const job: Job = { work, isIndependent, deadline, resolve: settle, reject };
      const queue = queues.get(storeId);
      if (queue === undefined) void run(storeId, [job], write);
      else queue.push(job);
    });
}

async function commitGroup(
  group: readonly Job[],
  write: Transactions['write'],
  onCommit: (changes: number) => void,
): Promise<void> {
  try {
    const settlements = await runGroup(withNeighbours(group), write, runPlainly).catch((error: unknown) => {
      const isOver = error instanceof StorageBusyError || error instanceof UnknownCommitError;
      if (isOver || group.length === 1) throw error;
      // One of them has failed, and undid the others. Savepoints take time, so they are set in this case only.
      return runGroup(
        group.map((job) => [job]),
        write,
        runInSavepoint,
      );
    });
    onCommit(settlements.length);
    for (const settle of settlements) settle();
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** Independent changes that follow each other together, each of the others by itself. */
function withNeighbours(group: readonly Job[]): Job[][] {
  const steps: Job[][] = [];
  let previous: Job | undefined;
  for (const job of group) {
    if (job.isIndependent && previous?.isIndependent) steps.at(-1)?.push(job);
    else steps.push([job]);
    previous = job;
  }
  return steps;
}

/** Runs a job and answers the function that settles it. Rejects if the transaction is lost. */
type Run = (job: Job, db: Queries, locks: Locks) => Promise<() => void>;

/** Runs the jobs of each step at the same time, in one transaction. */
function runGroup(
  steps: readonly (readonly Job[])[],
  write: Transactions['write'],
  run: Run,
): Promise<(() => void)[]> {
  return write(async (db, locks) => {
    // What the changes ask first is sent behind this, so it is answered once the lock is held.
    const isFree = locks.acquireChange();
    const ownLocks: Locks = {
      ...locks,
      acquireChange: () => isFree,
      // No other change of the store runs before the commit, so nobody else can claim anything.
      claim: async (name) => (await isFree) || locks.claim(name),
    };
    const runAll = async () => {
      const settlements: (() => void)[] = [];
      for (const jobs of steps)
        settlements.push(...(await allSettled(jobs.map((job) => run(job, db, ownLocks)))));
      return settlements;
    };
    return (await allSettled([isFree, runAll()]))[1];
  });
}

const runPlainly: Run = async ({ work, resolve }, db, locks) => {
  const result = await work(db, locks);
  return () => resolve(result);
};

const runInSavepoint: Run = async ({ work, resolve, reject }, db, locks) => {
  const run = (sql: string) => db.executeQuery(CompiledQuery.raw(sql));
  await run('savepoint change');
  try {
    const result = await work(db, locks);
    await run('release change');
    return () => resolve(result);
  } catch (error) {
    if (isUnavailable(error) || isAborted(error)) throw error;
    await run('rollback to change; release change');
    return () => reject(error);
  }
};
