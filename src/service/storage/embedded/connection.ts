import type Database from 'libsql';
import { memoize } from '../../../base/memoize.ts';
import { queriesOn } from '../core/queries-on.ts';
import type { Queries, RunStatement } from '../core/storage.ts';
import { unloadable } from '../core/unloadable.ts';
import { collectGarbage } from './collect-garbage.ts';
import { withWholeModules } from './native-modules.ts';

export type EmbeddedEngine = typeof Database;

/** One connection to a database of the embedded engine. Its methods are synchronous: they run on this thread. */
export interface EngineConnection {
  readonly db: Queries;
  /** Begins a transaction that may write. Throws the engine's busy error while another connection writes. */
  beginWrite(): void;
  /** Returns when the transaction is on disk. */
  commit(): void;
  rollback(): void;
  setSavepoint(): void;
  releaseSavepoint(): void;
  rollbackToSavepoint(): void;
  /** False also when the engine has ended the transaction by itself, as it does when the disk is full. */
  isInTransaction(): boolean;
  /** Runs `task` when all tasks before it are over. */
  exclusively<Result>(task: () => Promise<Result>): Promise<Result>;
  close(): void;
}

/** The engine is an optional package with native code. A command that only calls a service does not need it. */
export const loadEngine = memoize(async (): Promise<EmbeddedEngine> => {
  try {
    return (await withWholeModules(() => import('libsql'))).default;
  } catch (cause) {
    throw unloadable('the embedded database', 'libsql', cause);
  }
});

/**
 * Lets go of the files of a database that is closed. libsql keeps them open until its statements are collected, and Windows
 * neither deletes nor replaces a file that is open.
 */
export async function releaseFiles(platform: string = process.platform): Promise<void> {
  if (platform === 'win32') await collectGarbage();
}

/** Throws the engine's busy error while another process sets the file up. */
export function openEngine(Engine: EmbeddedEngine, location: string): EngineConnection {
  const database = new Engine(location);
  try {
    // The engine would block this thread while it waits, and the lock may be held by another connection of this
    // process. The caller waits instead, and lets others run meanwhile.
    database.pragma('busy_timeout = 0');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    // On macOS, fsync alone leaves data in the cache of the disk. Elsewhere it changes nothing.
    database.pragma('fullfsync = ON');
    database.pragma('foreign_keys = ON');
    // 16 MB: a page that many changes touch is copied from the log to the database once for all of them.
    database.pragma('wal_autocheckpoint = 4000');
  } catch (error) {
    database.close();
    throw error;
  }
  const run = createStatementCache(database);
  let last: Promise<unknown> = Promise.resolve();
  return {
    db: queriesOn('embedded', run),
    beginWrite: () => void database.exec('begin immediate'),
    commit: () => void database.exec('commit'),
    rollback: () => void database.exec('rollback'),
    setSavepoint: () => void run('savepoint change', []),
    releaseSavepoint: () => void run('release change', []),
    rollbackToSavepoint: () => void database.exec('rollback to change'),
    isInTransaction: () => database.inTransaction,
    exclusively(task) {
      const result = last.then(task, task);
      last = result.catch(() => {});
      return result;
    },
    close() {
      run.forget();
      database.close();
    },
  };
}

interface Prepared {
  readonly statement: Database.Statement;
  /** Whether it returns rows. */
  readonly isReader: boolean;
}

const maxPrepared = 200;

/** Prepares each statement once and keeps it, because preparing takes longer than running. */
function createStatementCache(database: Database.Database): RunStatement & { forget(): void } {
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const statement = database.prepare(sql);
    if (prepared.size >= maxPrepared) prepared.clear();
    const made = { statement, isReader: statement.reader };
    prepared.set(sql, made);
    return made;
  }

  const run: RunStatement = (sql, parameters) => {
    const { statement, isReader } = prepared.get(sql) ?? prepare(sql);
    try {
      // Not `get`: libsql's has returned the row of the call before.
      if (isReader) return { rows: statement.all(parameters) as object[], changes: 0 };
      return { rows: [], changes: statement.run(parameters).changes };
    } catch (error) {
      // libsql does not reset every statement that has failed.
      prepared.delete(sql);
      throw error;
    }
  };
  return Object.assign(run, { forget: () => prepared.clear() });
}
