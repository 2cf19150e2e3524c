import type Database from 'libsql';
import type { RunStatement } from '../core/queries-on.ts';

interface Prepared {
  readonly statement: Database.Statement;
  /** Whether it answers rows. */
  readonly isReader: boolean;
}

const maxPrepared = 200;

/** Prepares each statement once and keeps it, because preparing takes longer than running. */
export function createStatementCache(database: Database.Database): RunStatement {
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const statement = database.prepare(sql);
    if (prepared.size >= maxPrepared) prepared.clear();
    const made = { statement, isReader: statement.reader };
    prepared.set(sql, made);
    return made;
  }

  return (sql, parameters) => {
    const { statement, isReader } = prepared.get(sql) ?? prepare(sql);
    try {
      // Not `get`: libsql's has answered with the row of the call before.
      if (isReader) return { rows: statement.all(parameters), changes: 0 };
      return { rows: [], changes: statement.run(parameters).changes };
    } catch (error) {
      // libsql does not reset every statement that has failed.
      prepared.delete(sql);
      throw error;
    }
  };
}
