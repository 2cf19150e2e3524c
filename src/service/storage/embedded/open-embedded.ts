import { notFound } from '../../model/errors.ts';
import { faultOf } from '../core/engine-errors.ts';
import { StorageBusyError } from '../core/errors.ts';
import { statement } from '../core/statement.ts';
import type { Storage, Transactions } from '../core/storage.ts';
import { loadEngine, openEngine, releaseFiles } from './connection.ts';
import { createDatabaseFile } from './database-file.ts';
import { createGroupCommit } from './group-commit.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

const inMemory = ':memory:';

const storeById = statement<{ storeId: string }, object>`
  select 1 from stores where id = ${'storeId'} and deleted_at is null`;

/**
 * Opens the embedded engine (SQLite by way of libsql) at a file path or `:memory:`: write-ahead log, every commit
 * fsynced, foreign keys checked. Any number of processes may have one file open. Rejects with a StorageBusyError when
 * another process holds it for longer than `timeoutMs`.
 */
export async function openEmbedded(location: string, timeoutMs: number): Promise<Storage> {
  const Engine = await loadEngine();
  if (location !== inMemory) await createDatabaseFile(location);
  const connect = () => retryWhileBusy(timeoutMs, async () => openEngine(Engine, location));
  const writing = await connect();
  // With a connection of their own, reads do not wait for changes. A database in memory can have only one.
  const reading = location === inMemory ? writing : await connect();
  let commits = 0;
  let changes = 0;
  const groupCommit = createGroupCommit({
    connection: writing,
    onCommit: (count) => {
      commits += 1;
      changes += count;
    },
    timeoutMs,
  });

  const read: Transactions['read'] = async (work) => {
    try {
      return await retryWhileBusy(timeoutMs, () => reading.exclusively(() => work(reading.db)));
    } catch (error) {
      if (faultOf(error) === null || error instanceof StorageBusyError) throw error;
      throw new StorageBusyError('the database cannot be read', { cause: error });
    }
  };

  const write: Transactions['write'] = (work) => groupCommit.write(() => work(writing.db));

  return {
    engine: 'embedded',
    warnings: [],
    read,
    write,
    // Transactions that write run one after the other, so they need no locks.
    forStore: (storeId) => ({
      read,
      write,
      change: (work) =>
        write(async (db) => {
          if ((await storeById(db, { storeId })).rows.length === 0) throw notFound('Store', storeId);
          return work(db);
        }),
    }),
    outsideTransaction: null,
    usage: () => ({ commits, changes, connections: null }),
    async close() {
      await groupCommit.idle();
      await reading.exclusively(async () => reading.close());
      if (writing !== reading) await writing.exclusively(async () => writing.close());
      await releaseFiles();
    },
  };
}
