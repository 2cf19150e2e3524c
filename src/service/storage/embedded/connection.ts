import { CamelCasePlugin, Kysely } from 'kysely';
import type Database from 'libsql';
import { DatabaseSetupError } from '../core/errors.ts';
import { createPendingRows } from '../core/pending-rows.ts';
import { type DirectConnection, passBy } from '../core/prepared.ts';
import type { Schema } from '../core/schema.ts';
import type { WritingConnection } from './group-commit.ts';
import { libsqlDialect } from './libsql-dialect.ts';
import { createRunner, type RunStatement } from './statement-runner.ts';

export type Engine = typeof Database;

export interface Connection extends WritingConnection {
  readonly database: Database.Database;
  readonly db: Kysely<Schema>;
  /** Changes with every commit of another connection, in this process or elsewhere. */
  version(): number;
  /** Number of statements so far that may have changed a table. */
  changesIn(table: string): number;
  /** Runs `turn` when all turns before it are over. */
  alone<Result>(turn: () => Promise<Result>): Promise<Result>;
}

/** The engine is native code, in a package that may be left out: whoever only talks to a service does without. */
export async function loadEngine(): Promise<Engine> {
  try {
    return (await import('libsql')).default;
  } catch (cause) {
    const message =
      'the embedded database needs the package libsql, which is not installed: npm install libsql';
    throw new DatabaseSetupError(message, { cause });
  }
}

/** Throws the engine's busy error when another process is just setting the file up. */
export function openConnection(Engine: Engine, location: string): Connection {
  const database = new Engine(location);
  try {
    // A timeout here would block this thread, and the lock may be held by another connection of this very process:
    // waiting is done by the caller, who lets others run meanwhile.
    database.pragma('busy_timeout = 0');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    // 16 MB: pages that many changes touch, such as the end of a table, are copied out of the log once for all of them.
    database.pragma('wal_autocheckpoint = 4000');
  } catch (error) {
    database.close();
    throw error;
  }
  const runner = createRunner(database);
  const { changes } = runner;
  const pending = createPendingRows((sql, parameters) => runner.run(sql, parameters).changes);
  const run: RunStatement = (sql, parameters) => {
    beforeRows(() => pending.flushBefore(sql));
    return runner.run(sql, parameters);
  };
  /** What cannot be inserted undoes the whole transaction, whoever runs into it. */
  const beforeRows = (flush: () => void) => {
    try {
      flush();
    } catch (error) {
      changes.add(null);
      throw error;
    }
  };
  const db = new Kysely<Schema>({ dialect: libsqlDialect(database, run), plugins: [new CamelCasePlugin()] });
  const version = () => Number(runner.run('pragma data_version', []).rows[0]?.[0]);
  let knownVersion = version();
  /**
   * How it writes: in an optimistic transaction what goes wrong may come to light later, since it is run again then. Null
   * while it does not write.
   */
  let writing: 'optimistic' | 'withSavepoints' | null = null;
  passBy(db, {
    run: inCamelCase(run),
    presumesMissing() {
      if (writing !== 'optimistic') return false;
      // A failure may be due to it.
      changes.addUnchanged();
      return true;
    },
    // While it writes, nobody else can.
    stateOf: (table) => (writing === null ? null : changes.countIn(table)),
    append(insert, values) {
      if (writing !== 'optimistic') return run(insert.sql, values).changes > 0;
      pending.add(insert, values);
      changes.add(insert.table);
      return true;
    },
  });
  const exec = (sql: string) => void database.exec(sql);
  let last: Promise<unknown> = Promise.resolve();
  return {
    database,
    db,
    version,
    changesIn: changes.countIn,
    begin({ withSavepoints }) {
      exec('begin immediate');
      try {
        const current = version();
        if (current !== knownVersion) changes.add(null);
        knownVersion = current;
      } catch (error) {
        exec('rollback');
        throw error;
      }
      writing = withSavepoints ? 'withSavepoints' : 'optimistic';
    },
    flush: () => beforeRows(pending.flush),
    commit() {
      exec('commit');
      writing = null;
    },
    rollback() {
      pending.clear();
      changes.add(null);
      writing = null;
      exec('rollback');
    },
    setSavepoint: () => exec('savepoint request'),
    releaseSavepoint: () => exec('release request'),
    rollbackToSavepoint() {
      changes.add(null);
      exec('rollback to request');
    },
    isInTransaction: () => database.inTransaction,
    changes: changes.count,
    alone(turn) {
      const result = last.then(turn, turn);
      last = result.catch(() => {});
      return result;
    },
  };
}

/** With rows as Kysely's plugin would give them. */
function inCamelCase(run: RunStatement): DirectConnection['run'] {
  const namesByColumns = new WeakMap<readonly string[], readonly string[]>();
  const namesOf = (columns: readonly string[]) => {
    let names = namesByColumns.get(columns);
    if (names === undefined) {
      names = columns.map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
      namesByColumns.set(columns, names);
    }
    return names;
  };
  return (sql, parameters) => {
    const { rows, columns, changes } = run(sql, parameters);
    if (rows.length === 0) return { rows, changes };
    const names = namesOf(columns);
    const objects = rows.map((row) => {
      const object: Record<string, unknown> = {};
      for (const [at, name] of names.entries()) object[name] = row[at];
      return object;
    });
    return { rows: objects, changes };
  };
}
