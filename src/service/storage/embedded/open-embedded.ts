import { constants, existsSync } from 'node:fs';
import { access, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, isBusy } from '../core/engine-errors.ts';
import { StorageBusyError } from '../core/errors.ts';
import type { Locks, Storage, Transactions } from '../core/storage.ts';
import { loadEngine, openConnection } from './connection.ts';
import { createGroupCommit } from './group-commit.ts';
import { createVersions } from './versions.ts';

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
  const Engine = await loadEngine();
  await createDatabaseFile(location);
  const connect = () => whileBusy(patienceMs, async () => openConnection(Engine, location));
  const writing = await connect();
  // Reads go on while a commit is being prepared. What is in memory is seen by the connection that made it alone.
  const reading = location === inMemory ? writing : await connect();
  const versions = createVersions({
    ofOthers: () => whileBusy(patienceMs, async () => writing.version()),
    changesIn: writing.changesIn,
  });
  const groupCommit = createGroupCommit({
    connection: writing,
    onCommit: versions.onCommit,
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
    version: async (table) => {
      if (location === inMemory) return null;
      return table === undefined ? versions.ofAll() : versions.ofTable(table);
    },
    forStore: () => transactions,
    async close() {
      await groupCommit.idle();
      await reading.alone(async () => reading.database.close());
      if (writing !== reading) await writing.alone(async () => writing.database.close());
    },
  };
}

/**
 * Makes the folder (0700) and the file (0600) where they are missing. The engine gives its side files the same mode.
 * A file that is there must not be opened here: to close it again would take the engine's locks on it from every
 * connection of this process, as POSIX has it, and another process would then take away the log that they write.
 */
async function createDatabaseFile(location: string): Promise<void> {
  if (location === inMemory) return;
  await makeFolder(dirname(location));
  await unlessThere(async () => {
    const file = await open(location, 'wx', 0o600);
    await file.close();
  });
  // The engine's own words for what cannot be opened say less.
  await access(location, constants.R_OK | constants.W_OK);
  if (!(await stat(location)).isDirectory()) return;
  throw Object.assign(new Error(`${location} is a folder`), { code: 'EISDIR' });
}

/** Not with mkdir's `recursive`: on Node 20 that never returns where a folder is there but takes no new one. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await unlessThere(() => mkdir(folder, { mode: 0o700 }));
}

/** Another process may have been faster. */
async function unlessThere(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
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
