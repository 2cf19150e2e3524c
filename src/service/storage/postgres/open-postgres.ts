import { setTimeout as sleep } from 'node:timers/promises';
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import { isAborted, isConnectionLost, isUnavailable } from '../core/engine-errors.ts';
import { DatabaseSetupError, StorageBusyError, UnknownCommitError } from '../core/errors.ts';
import { createQueue } from '../core/queue.ts';
import type { Schema } from '../core/schema.ts';
import {
  inOneTransaction,
  type Queries,
  type Storage,
  type StoreTransactions,
  type Transactions,
  type TransactionWork,
} from '../core/storage.ts';
import { createChangeGroups } from './change-groups.ts';
import { parseConnectionString } from './connection-string.ts';
import { createLocks } from './locks.ts';
import { connectToServers } from './servers.ts';
import { allSettled, createSessions, type Session } from './sessions.ts';

/** How often a transaction is run that PostgreSQL aborts. */
const maxAttempts = 5;

const bigintOid = 20;

/** Share of the connections that the changes of one store can take. */
const storeShare = 0.3;

/** Releases the locks of a process that hangs in the middle of a transaction. */
const maxIdleMs = 60_000;

/** Whose rows a transaction sees: see migrations/0001-schema.ts. */
type Audience = { readonly storeId: string } | 'administration';

export interface PostgresOptions {
  /** How long to wait for a lock, in ms. */
  readonly patienceMs: number;
  /** Connections of this process. */
  readonly poolSize: number;
}

/**
 * Opens a database on PostgreSQL. What the connection string leaves out, such as the password, comes from the environment as
 * in every PostgreSQL client (PGPASSWORD, PGSSLMODE …). Sessions have no state, so a pooler may share them between
 * transactions, as PgBouncer does. Throws a DatabaseSetupError.
 */
export async function openPostgres(
  location: string,
  { patienceMs, poolSize }: PostgresOptions,
): Promise<Storage> {
  const pg = await loadDriver();
  const { pool, guard, usage } = connectToServers(pg, {
    servers: parseConnectionString(location).servers,
    patienceMs,
    config: {
      max: poolSize,
      // Queries that do not wait for each other are sent together.
      pipeline: true,
      application_name: 'storectl',
      keepAlive: true,
      types: {
        getTypeParser: (oid, format) => (oid === bigintOid ? Number : pg.types.getTypeParser(oid, format)),
      },
    },
  });
  const config = { dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] };
  const db = new Kysely<Schema>(config);
  const withSession = createSessions(db, config);

  // Changes of a store wait for each other in the database, each with a connection. Others need some too.
  const queue = createQueue(Math.ceil(poolSize * storeShare), patienceMs);
  let commits = 0;
  let changes = 0;
  const groups = createChangeGroups(patienceMs, (count) => {
    // Its commit counts as one already.
    changes += count - 1;
  });

  function beginningOf(mode: 'read' | 'write', audience: Audience): string {
    const setting =
      audience === 'administration'
        ? "set local storectl.administration = 'on'"
        : `set local storectl.store_id = ${pg.escapeLiteral(audience.storeId)}`;
    const limits = `set local lock_timeout = ${patienceMs}; set local idle_in_transaction_session_timeout = ${maxIdleMs}`;
    // A change waits for a lock and must then see what the change before it has committed.
    return mode === 'read'
      ? `begin isolation level repeatable read, read only; ${setting}; ${limits}`
      : `begin isolation level read committed, read write; ${setting}; ${limits}`;
  }

  function transactions(audience: Audience): Transactions {
    const locksOf = (queries: Queries) =>
      createLocks(queries, audience === 'administration' ? 'administration' : audience.storeId);
    const run = <Result>(mode: 'read' | 'write', work: TransactionWork<Result>) =>
      retryAborted(() =>
        guard(() =>
          withSession(async ({ queries, begin, end }) => {
            let result: Result;
            try {
              const begun = begin(beginningOf(mode, audience));
              [, result] = await allSettled([begun, work(queries, locksOf(queries))]);
            } catch (error) {
              // If the connection is gone, so is the transaction.
              await end('rollback').catch(() => {});
              throw error;
            }
            await commit(end, mode);
            if (mode === 'write') {
              commits += 1;
              changes += 1;
            }
            return result;
          }),
        ),
      );
    const write: Transactions['write'] = (work) => run('write', work);
    return { read: (work) => run('read', work), write, share: write };
  }

  function storeTransactions(storeId: string): StoreTransactions {
    const { read, write } = transactions({ storeId });
    const queued: Transactions['write'] = (work) => queue(storeId, () => write(work));
    return {
      read,
      write: queued,
      writeLong: (work) => queued(inOneTransaction(work)),
      share: (work, isIndependent = false) => groups(storeId, work, isIndependent, write),
    };
  }

  let warnings: string[];
  try {
    warnings = await checkSetup(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    engine: 'postgres',
    maxConnections: poolSize,
    warnings,
    ...transactions('administration'),
    forStore: storeTransactions,
    version: async () => null,
    usage: () => ({ commits, changes, connections: usage() }),
    close: () => db.destroy(),
  };
}

async function loadDriver() {
  try {
    return await import('pg');
  } catch (cause) {
    throw new DatabaseSetupError('PostgreSQL needs the package pg, which is not installed: npm install pg', {
      cause,
    });
  }
}

/** Throws if the database cannot store the data of the service. Answers warnings about an unsafe setup. */
async function checkSetup(db: Queries): Promise<string[]> {
  const { rows } = await sql<{
    encoding: string;
    isUnbound: boolean;
    synchronousCommit: string;
    fsync: string;
  }>`
    select current_setting('server_encoding') as encoding, rolsuper or rolbypassrls as is_unbound,
      current_setting('synchronous_commit') as synchronous_commit, current_setting('fsync') as fsync
    from pg_roles where rolname = current_user`.execute(db);
  const { encoding, isUnbound, synchronousCommit, fsync } = rows[0] ?? {};
  if (encoding !== 'UTF8') {
    throw new DatabaseSetupError(`the encoding of the database is ${encoding}: create it with encoding UTF8`);
  }
  const unsafe = Object.entries({ synchronous_commit: synchronousCommit, fsync })
    .filter(([, value]) => value === 'off')
    .map(
      ([name]) =>
        `${name} is off on this PostgreSQL: a crash loses changes that clients were told are stored`,
    );
  return isUnbound
    ? ['this PostgreSQL role bypasses row-level security: use one without SUPERUSER and BYPASSRLS', ...unsafe]
    : unsafe;
}

async function commit(end: Session['end'], mode: 'read' | 'write'): Promise<void> {
  try {
    await end('commit');
  } catch (cause) {
    if (mode === 'read' || !isConnectionLost(cause)) throw cause;
    throw new UnknownCommitError('the database connection was lost during a commit', { cause });
  }
}

async function retryAborted<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (isUnavailable(error)) {
        throw new StorageBusyError('the database is not available', { cause: error });
      }
      if (!isAborted(error)) throw error;
      if (number === maxAttempts) {
        throw new StorageBusyError('the database aborted the changes', { cause: error });
      }
    }
    await sleep(Math.random() * 10 * 2 ** number);
  }
}
