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
  /** Whether it answers rows. */
  readonly reader: boolean;
}

const maxPrepared = 200;

/**
 * Kysely on one libsql connection, which every query of the instance uses: when a transaction begins and ends is for
 * the caller to say. Statements are prepared once and kept, up to a number, since preparing costs more than running.
 */
export function libsqlDialect(database: Database.Database): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(database: Database.Database): Driver {
  const connection = createConnection(database);
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

function createConnection(database: Database.Database): DatabaseConnection {
  /** Least recently used first. */
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    let found = prepared.get(sql);
    if (found === undefined) {
      const statement = database.prepare(sql);
      found = { statement, reader: statement.reader };
    }
    prepared.delete(sql);
    prepared.set(sql, found);
    if (prepared.size > maxPrepared) {
      for (const oldest of prepared.keys()) {
        prepared.delete(oldest);
        break;
      }
    }
    return found;
  }

  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { statement, reader } = prepare(sql);
      try {
        if (reader) return { rows: statement.all(parameters) as Row[] };
        const { changes, lastInsertRowid } = statement.run(parameters);
        return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
      } catch (error) {
        // libsql does not reset every statement that has failed.
        prepared.delete(sql);
        throw error;
      }
    },
    streamQuery() {
      throw new Error('this connection does not stream');
    },
  };
}
