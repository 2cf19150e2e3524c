import type Database from 'libsql';

interface EngineResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly changes: number;
}

/** Runs one statement on a connection. */
export type RunStatement = (sql: string, parameters: readonly unknown[]) => EngineResult;

const maxPrepared = 200;

/** Prepares each statement once and keeps it, because preparing takes longer than running. */
export function createStatementCache(database: Database.Database): RunStatement {
  const prepared = new Map<string, Database.Statement>();

  function prepare(sql: string): Database.Statement {
    const statement = database.prepare(sql);
    if (prepared.size >= maxPrepared) prepared.clear();
    prepared.set(sql, statement);
    return statement;
  }

  return (sql, parameters) => {
    const statement = prepared.get(sql) ?? prepare(sql);
    try {
      if (statement.reader) {
        // Not `get`: libsql's has answered with the row of the call before.
        const rows = statement.all(parameters) as Record<string, unknown>[];
        return { rows, changes: 0 };
      }
      return { rows: [], changes: statement.run(parameters).changes };
    } catch (error) {
      // libsql does not reset every statement that has failed.
      prepared.delete(sql);
      throw error;
    }
  };
}
