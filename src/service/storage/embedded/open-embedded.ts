import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from '../core/engine-errors.ts';
import { StorageBusyError } from '../core/errors.ts';
import {
  inOneTransaction,
  type Storage,
  type StoreTransactions,
  type Transactions,
} from '../core/storage.ts';
import { loadEngine, openConnection } from './connection.ts';
import { createDatabaseFile } from './database-file.ts';
import { createGroupCommit } from './group-commit.ts';
import { createLongChanges, everyLock } from './long-changes.ts';

const inMemory = ':memory:';

export interface EmbeddedOptions {
  /** How long to wait while the database is locked by another process, in ms. */
  readonly patienceMs: number;
  /** How many changes share a commit at most. */
  readonly maxGroup: number;
}

/**
 * Opens the embedded engine (SQLite by way of libsql) at a file path or `:memory:`: write-ahead log, every commit
 * fsynced, foreign keys checked. Any number of processes may have one file open. Rejects with a StorageBusyError when
 * another process holds it for longer than `patienceMs`.
 */
export async function openEmbedded(
  location: string,
  { patienceMs, maxGroup }: EmbeddedOptions,
): Promise<Storage> {
  const Engine = await loadEngine();
  if (location !== inMemory) await createDatabaseFile(location);
  const connect = () => whileBusy(patienceMs, async () => openConnection(Engine, location));
  const writing = await connect();
  // With a connection of their own, reads do not wait for changes. A database in memory can have only one.
  const reading = location === inMemory ? writing : await connect();
  let ownCommits = 0;
  let ownChanges = 0;
  const groupCommit = createGroupCommit({
    connection: writing,
    onCommit: (changes) => {
      ownCommits += 1;
      ownChanges += changes;
    },
    patienceMs,
    maxGroup,
  });

  const version = () => whileBusy(patienceMs, async () => writing.foreignCommits() + ownCommits);

  const longChanges = createLongChanges({ connection: writing, groupCommit, connect });

  const read: Transactions['read'] = (work) =>
    whileBusy(patienceMs, () =>
      reading.exclusively(async () => {
        reading.beginRead();
        try {
          return await work(reading.db, everyLock);
        } finally {
          reading.rollback();
        }
      }),
    );

  const writeAny: Transactions['write'] = (work) =>
    groupCommit.write(() => {
      longChanges.noteChange();
      return work(writing.db, everyLock);
    });

  function storeTransactions(storeId: string): StoreTransactions {
    const locks = longChanges.locksOf(storeId);
    const write: Transactions['write'] = (work) => groupCommit.write(() => work(writing.db, locks));
    return {
      read,
      write,
      share: write,
      // One connection has no snapshot beside what it writes.
      writeLong: (work) =>
        location === inMemory ? write(inOneTransaction(work)) : longChanges.run(storeId, work),
    };
  }

  return {
    engine: 'embedded',
    maxConnections: Number.POSITIVE_INFINITY,
    warnings: [],
    ...{ read, write: writeAny, share: writeAny },
    version: location === inMemory ? async () => null : askOncePerTurn(version),
    forStore: storeTransactions,
    usage: () => ({ commits: ownCommits, changes: ownChanges, connections: null }),
    async close() {
      await longChanges.idle();
      await groupCommit.idle();
      await reading.exclusively(async () => reading.close());
      if (writing !== reading) await writing.exclusively(async () => writing.close());
    },
  };
}

/**
 * Asks once for all callers of one turn of the event loop, after the last of them, so that nobody gets an answer from
 * before the call.
 */
function askOncePerTurn<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let asked: Promise<Result> | undefined;
  const askAtEndOfTurn = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    asked = undefined;
    return ask();
  };
  return () => {
    asked ??= askAtEndOfTurn();
    return asked;
  };
}

/** Runs `attempt` again while the engine says busy, and lets others run in between: one of them may hold the lock. */
async function whileBusy<Result>(patienceMs: number, attempt: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() + pause > deadline) {
        throw new StorageBusyError('the database is locked by another process', { cause: error });
      }
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}
