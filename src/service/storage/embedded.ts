import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CamelCasePlugin, Kysely } from 'kysely';
import Database from 'libsql';
import { isBusy } from './engine-errors.ts';
import { StorageBusyError } from './errors.ts';
import { createGroupCommit } from './group-commit.ts';
import { libsqlDialect } from './libsql-dialect.ts';
import type { Schema } from './schema.ts';
import type { Locks, Storage, Transactions } from './storage.ts';

const inMemory = ':memory:';

/** Changes are made one after the other here, so each has all locks there are. */
const everyLock: Locks = {
  claim: async () => true,
  takeTurn: async () => true,
  takeStore: async () => true,
};

/**
 * Opens the embedded engine (SQLite by way of libsql) at a file path or `:memory:`: write-ahead log, every commit
 * synced, foreign keys checked. Any number of processes may have one file open. Waits up to `patienceMs` while
 * another holds it, then rejects with a StorageBusyError.
 */
export async function openEmbedded(
  location: string,
  { patienceMs, maxGroup }: { readonly patienceMs: number; readonly maxGroup: number },
): Promise<Storage> {
  await createDatabaseFile(location);
  const connect = () => whileBusy(patienceMs, async () => openConnection(location));
  const writing = await connect();
  // Reads go on while a commit is being prepared. What is in memory is seen by the connection that made it alone.
  const reading = location === inMemory ? writing : await connect();
  const groupCommit = createGroupCommit({
    exec: (sql) => void writing.database.exec(sql),
    alone: writing.alone,
    patienceMs,
    maxGroup,
  });
  const readAlone = <Result>(work: () => Promise<Result>) =>
    reading.alone(async () => {
      reading.database.exec('begin');
      try {
        return await work();
      } finally {
        reading.database.exec('rollback');
      }
    });

  const transactions: Transactions = {
    read: (work) => whileBusy(patienceMs, () => readAlone(() => work(reading.db, everyLock))),
    write: (work) => groupCommit.write(() => work(writing.db, everyLock)),
  };

  return {
    engine: 'embedded',
    warnings: [],
    ...transactions,
    forStore: () => transactions,
    async close() {
      await groupCommit.idle();
      await reading.alone(async () => reading.database.close());
      if (writing !== reading) await writing.alone(async () => writing.database.close());
    },
  };
}

/** Makes the folder (0700) and the file (0600) where they are missing. The engine gives its side files the same mode. */
async function createDatabaseFile(location: string): Promise<void> {
  if (location === inMemory) return;
  await makeFolder(dirname(location));
  const file = await open(location, 'a', 0o600);
  await file.close();
}

/** Not with mkdir's `recursive`: on Node 20 that never returns where a folder is there but takes no new one. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

interface Connection {
  readonly database: Database.Database;
  readonly db: Kysely<Schema>;
  /** Runs `turn` when all turns before it are over. */
  alone<Result>(turn: () => Promise<Result>): Promise<Result>;
}

/** Throws the engine's busy error when another process is just setting the file up. */
function openConnection(location: string): Connection {
  const database = new Database(location);
  try {
    // A timeout here would block this thread, and the lock may be held by another connection of this very process:
    // waiting is done by the caller, who lets others run meanwhile.
    database.pragma('busy_timeout = 0');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
  } catch (error) {
    database.close();
    throw error;
  }
  let last: Promise<unknown> = Promise.resolve();
  return {
    database,
    db: new Kysely<Schema>({ dialect: libsqlDialect(database), plugins: [new CamelCasePlugin()] }),
    alone(turn) {
      const result = last.then(turn, turn);
      last = result.catch(() => {});
      return result;
    },
  };
}

/** Runs `attempt` again while the engine says busy, yielding in between: the lock may be held by this process. */
async function whileBusy<Result>(patienceMs: number, attempt: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() + pause > deadline) {
        throw new StorageBusyError('another process holds the database', { cause: error });
      }
    }
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}
