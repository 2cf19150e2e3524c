import {
  CamelCasePlugin,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Schema } from './schema.ts';
import type { Engine, Queries, RunStatement } from './storage.ts';

/** Kysely for an engine whose statements are run by `run`. The caller begins and ends transactions. */
export function queriesOn(engine: Engine, run: RunStatement): Queries {
  const connection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, changes } = await run(sql, parameters);
      return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new Error('this connection does not stream');
    },
  };
  const driver = Object.assign(new DummyDriver(), { acquireConnection: async () => connection });
  const isEmbedded = engine === 'embedded';
  const kysely = new Kysely<Schema>({
    dialect: {
      createAdapter: () => (isEmbedded ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => (isEmbedded ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
    plugins,
  });
  return Object.assign(kysely, { engine, run });
}

const plugins = [new CamelCasePlugin()];
