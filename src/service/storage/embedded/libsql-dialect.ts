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
import type { RunStatement } from './statement-cache.ts';

/** Kysely on one libsql connection, which every query uses. The caller begins and ends transactions. */
export function libsqlDialect(run: RunStatement): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(run),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(run: RunStatement): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, changes, lastInsertRowid } = run(sql, parameters);
      return {
        rows: rows as unknown[] as Row[],
        numAffectedRows: BigInt(changes),
        insertId: BigInt(lastInsertRowid),
      };
    },
    streamQuery() {
      throw new Error('this connection does not stream');
    },
  };
  const refuse = async () => {
    throw new Error('the caller begins and ends transactions of this connection');
  };
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => {},
  };
}
