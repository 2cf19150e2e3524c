import { PostgresAdapter, PostgresQueryCompiler, sql } from 'kysely';
import type { ClientBase, PoolClient } from 'pg';
import { isConnectionLost, isUnavailable } from '../core/engine-errors.ts';
import { DatabaseSetupError, StorageBusyError, UnknownCommitError } from '../core/errors.ts';
import { queriesOn } from '../core/one-connection.ts';
import { createQueue } from '../core/queue.ts';
import { requireStore } from '../core/require-store.ts';
import { findKnown } from '../core/statement.ts';
import type { Queries, Storage, Transactions, TransactionWork } from '../core/storage.ts';
import { parseConnectionString } from './connection-string.ts';
import { createConnections } from './pool.ts';

const bigintOid = 20;

/** Releases the locks of a process that hangs in the middle of a transaction. */
const maxIdleMs = 60_000;

/** How long a read waits for a lock, which only a change of the schema holds. */
const maxReadLockMs = 1_500;

/** Whose rows a transaction sees: see migrations/0001-schema.ts. */
type Audience = { readonly storeId: string } | 'administration';

export interface PostgresOptions {
  /** How long to wait for a lock, in ms. */
  readonly patienceMs: number;
  /** Connections of this process. */
  readonly poolSize: number;
}

/**
 * Opens a database on PostgreSQL. What the URL leaves out, such as the password, comes from the environment as
 * in every PostgreSQL client (PGPASSWORD, PGSSLMODE …). Sessions have no state, so a pooler may share them between
 * transactions, as PgBouncer does. Throws a DatabaseSetupError.
 */
export async function openPostgres(
  location: string,
  { patienceMs, poolSize }: PostgresOptions,
): Promise<Storage> {
  const pg = await loadDriver();
  const config = {
    connectionString: parseConnectionString(location).url,
    max: poolSize,
    application_name: 'storectl',
    keepAlive: true,
    pipeline: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === bigintOid ? Number : pg.types.getTypeParser(oid, format),
    },
  };
  const connections = createConnections(pg, config, patienceMs);
  // Changes of a store wait for each other here, before they take a connection: a store never holds more than one.
  const ofStore = createQueue(1, patienceMs);
  let commits = 0;

  function beginningOf(mode: 'read' | 'write', audience: Audience, deadline: number): string {
    const setting =
      audience === 'administration'
        ? "set local storectl.administration = 'on'"
        : `set local storectl.store_id = ${pg.escapeLiteral(audience.storeId)}`;
    const lockMs = Math.max(1, Math.ceil(deadline - performance.now()));
    // A change waits for a lock and must then see what the change before it has committed.
    return mode === 'read'
      ? `begin isolation level repeatable read, read only; ${setting}; set local lock_timeout = ${Math.min(lockMs, maxReadLockMs)}`
      : `begin isolation level read committed, read write; ${setting}; set local lock_timeout = ${lockMs};
         set local idle_in_transaction_session_timeout = ${maxIdleMs}`;
  }

  /** With a store id, that store is locked first. */
  async function run<Result>(
    mode: 'read' | 'write',
    audience: Audience,
    work: TransactionWork<Result>,
    { locked, deadline = performance.now() + patienceMs }: { locked?: string; deadline?: number } = {},
  ): Promise<Result> {
    try {
      return await connections.guard(async () => {
        const client = await connections.connect();
        const { db, sent, end } = queriesOnClient(client, connections.keepsStatements(client));
        const beginning = client.query(beginningOf(mode, audience, deadline));
        // A read awaits it last: until then a lost connection would be an unhandled rejection, which ends the process.
        beginning.catch(() => {});
        sent.push(beginning);
        try {
          if (locked !== undefined) sent.push(requireStore({ db, storeId: locked }));
          // A read need not wait: outside of a transaction it would see nothing.
          if (mode === 'write') await Promise.all(sent);
          const result = await work(db);
          await sent[0];
          end();
          if (mode === 'read') {
            release(client, client.query('commit'));
            return result;
          }
          await commit(client, sent, patienceMs);
          commits += 1;
          client.release();
          return result;
        } catch (error) {
          end();
          if (error instanceof UnknownCommitError) {
            client.release(true);
            throw error;
          }
          release(client, client.query('rollback'));
          // What follows a statement that has failed fails for that reason only.
          await Promise.all(sent);
          throw error;
        }
      });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      throw new StorageBusyError('the database is not available', { cause: error });
    }
  }

  const transactions = (audience: Audience): Transactions => ({
    read: (work) => run('read', audience, work),
    write: (work) => run('write', audience, work),
  });

  async function runAlone(statement: string): Promise<void> {
    const client = new pg.Client(config);
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  let warnings: string[];
  try {
    warnings = await transactions('administration').read(checkSetup);
  } catch (error) {
    await connections.end();
    throw error;
  }
  return {
    engine: 'postgres',
    warnings,
    ...transactions('administration'),
    forStore: (storeId) => ({
      ...transactions({ storeId }),
      change(work) {
        const deadline = performance.now() + patienceMs;
        return ofStore(storeId, () => run('write', { storeId }, work, { locked: storeId, deadline }));
      },
    }),
    runAlone,
    usage: () => ({ commits, changes: commits, connections: connections.usage() }),
    close: connections.end,
  };
}

/** What a transaction asks on its connection. */
interface TransactionQueries {
  readonly db: Queries;
  /** What was sent without waiting for its answer. */
  readonly sent: Promise<unknown>[];
  /** From now on nothing more is sent. */
  end(): void;
}

function queriesOnClient(client: ClientBase, keepsStatements: boolean): TransactionQueries {
  let isOver = false;
  const sent: Promise<unknown>[] = [];
  const db = queriesOn({
    adapter: new PostgresAdapter(),
    compiler: new PostgresQueryCompiler(),
    async run(text, parameters) {
      if (isOver) throw new Error('the transaction has ended');
      const known = findKnown(text);
      const name = keepsStatements ? known?.name : undefined;
      const answer = client.query({ text, values: [...parameters], ...(name && { name }) });
      if (known?.isInsertion) {
        answer.catch(() => {});
        sent.push(answer);
        return { rows: [], changes: 1 };
      }
      const { rows, rowCount } = await answer;
      return { rows, changes: rowCount ?? 0 };
    },
  });
  return {
    db,
    sent,
    end() {
      isOver = true;
    },
  };
}

/**
 * Commits if all that was sent has succeeded. A commit may wait for a standby for as long as that takes: until then it is unknown
 * whether the change will stay.
 */
async function commit(
  client: PoolClient,
  sent: readonly Promise<unknown>[],
  patienceMs: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UnknownCommitError('the commit takes too long')), patienceMs);
  });
  try {
    await Promise.race([Promise.all([...sent, client.query('commit')]), late]);
  } catch (cause) {
    if (!isConnectionLost(cause)) throw cause;
    throw new UnknownCommitError('the database connection was lost during a commit', { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Makes a connection free for others when its last statement has ended, or closes it if that fails. */
function release(client: PoolClient, ending: Promise<unknown>): void {
  ending.then(
    () => client.release(),
    () => client.release(true),
  );
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
