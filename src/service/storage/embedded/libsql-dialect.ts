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
import type { RunStatement } from './statement-runner.ts';

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
