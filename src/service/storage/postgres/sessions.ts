import { CompiledQuery, Kysely, type KyselyConfig } from 'kysely';
import type { Schema } from '../core/schema.ts';
import type { Queries } from '../core/storage.ts';

/** A connection while one transaction uses it. */
export interface Session {
  /** They are sent without waiting for each other. They reject once the transaction is told to end. */
  readonly queries: Queries;
  begin(sql: string): Promise<unknown>;
  end(sql: 'commit' | 'rollback'): Promise<unknown>;
}

/**
 * Lends connections to transactions. Kysely's own `connection()` waits for the answer to a query before it sends the next
 * one, which takes longer than the queries of most changes.
 */
export function createSessions(db: Kysely<Schema>, config: KyselyConfig) {
  const executor = db.getExecutor();
  const { dialect } = config;
  const driver = dialect.createDriver();
  return <Result>(work: (session: Session) => Promise<Result>): Promise<Result> =>
    executor.provideConnection((connection) => {
      let isOver = false;
      const own = executor.withConnectionProvider({
        async provideConnection(use) {
          if (isOver) throw new Error('the transaction has ended');
          return use(connection);
        },
      });
      return work({
        queries: new Kysely({ config, driver, dialect, executor: own }),
        begin: (sql) => connection.executeQuery(CompiledQuery.raw(sql)),
        end(sql) {
          isOver = true;
          return connection.executeQuery(CompiledQuery.raw(sql));
        },
      });
    });
}

/** As Promise.all, but rejects when nothing runs any more: nothing may be sent once the transaction has ended. */
export async function allSettled<Promises extends readonly unknown[] | []>(
  promises: Promises,
): Promise<{ -readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> {
  try {
    return await Promise.all(promises);
  } catch (error) {
    await Promise.allSettled(promises);
    throw error;
  }
}
