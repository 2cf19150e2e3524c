import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type Database from 'libsql';

interface Prepared {
  readonly statement: ReturnType<Database.Database['prepare']>;
  /** Names of the columns of its rows, null where it answers none. */
  readonly columns: readonly string[] | null;
}

export interface RawResult {
  /** Rows of values, in the order of the columns. */
  readonly rows: readonly unknown[][];
  readonly columns: readonly string[];
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** Runs one statement on a connection. */
export type RunStatement = (sql: string, parameters: readonly unknown[]) => RawResult;

const maxPrepared = 200;

/**
 * Kysely on one libsql connection, which every query of the instance uses: when a transaction begins and ends is for
 * the caller to say. `run` is of {@link createRunner} for the same connection.
 */
export function libsqlDialect(database: Database.Database, run: RunStatement): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(database, run),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(database: Database.Database, run: RunStatement): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, columns, changes, lastInsertRowid } = run(sql, parameters);
      const objects = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
      return {
        rows: objects as Row[],
        numAffectedRows: BigInt(changes),
        insertId: BigInt(lastInsertRowid),
      };
    },
    streamQuery() {
      throw new Error('this connection does not stream');
    },
  };
  const refuse = async () => {
    throw new Error('transactions of this connection are not begun by Kysely');
  };
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => {
      database.close();
    },
  };
}

/** Statements are prepared once and kept, up to a number, since preparing costs more than running. */
export function createRunner(database: Database.Database): RunStatement {
  /** Oldest first. */
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const statement = database.prepare(sql);
    const columns = statement.reader
      ? statement
          .raw()
          .columns()
          .map(({ name }) => name)
      : null;
    const made = { statement, columns };
    prepared.set(sql, made);
    if (prepared.size > maxPrepared) {
      for (const oldest of prepared.keys()) {
        prepared.delete(oldest);
        break;
      }
    }
    return made;
  }

  return (sql, parameters) => {
    const { statement, columns } = prepared.get(sql) ?? prepare(sql);
    try {
      if (columns !== null) {
        const rows = statement.all(parameters) as unknown[][];
        return { rows, columns, changes: 0, lastInsertRowid: 0 };
      }
      const { changes, lastInsertRowid } = statement.run(parameters);
      return { rows: [], columns: [], changes, lastInsertRowid };
    } catch (error) {
      // libsql does not reset every statement that has failed.
      prepared.delete(sql);
      throw error;
    }
  };
}
