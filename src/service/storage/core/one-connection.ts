import {
  CamelCasePlugin,
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteIntrospector,
} from 'kysely';
import type { Schema } from './schema.ts';
import type { Queries } from './storage.ts';

export interface OneConnection {
  readonly adapter: DialectAdapter;
  readonly compiler: QueryCompiler;
  run(sql: string, parameters: readonly unknown[]): RunResult | Promise<RunResult>;
}

interface RunResult {
  readonly rows: readonly unknown[];
  /** How many rows were inserted, updated or deleted. */
  readonly changes: number;
}

/** Kysely on one connection, which every query uses. The caller begins and ends transactions. */
export function queriesOn({ adapter, compiler, run }: OneConnection): Queries {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, changes } = await run(sql, parameters);
      return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new Error('this connection does not stream');
    },
  };
  const refuse = async () => {
    throw new Error('the caller begins and ends transactions of this connection');
  };
  const driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => {},
  };
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => compiler,
    },
    plugins,
  });
}

const plugins = [new CamelCasePlugin()];
