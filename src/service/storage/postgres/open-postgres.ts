import { sql } from 'kysely';
import type { ClientBase, PoolClient, QueryConfig } from 'pg';
import { notFound } from '../../model/errors.ts';
import { isConflict, isConnectionLost, isPasswordMissing, isUnavailable } from '../core/engine-errors.ts';
import { DatabaseSetupError, StorageBusyError, UnknownCommitError } from '../core/errors.ts';
import { queriesOn } from '../core/queries-on.ts';
import { createQueue } from '../core/queue.ts';
import type { KnownStatement, Queries, Storage, Transactions, TransactionWork } from '../core/storage.ts';
import { unloadable } from '../core/unloadable.ts';
import { parseConnectionString } from './connection-string.ts';
import { createConnections } from './pool.ts';

const bigintOid = 20;

/** Releases the locks of a process that hangs in the middle of a transaction. */
const maxIdleMs = 60_000;

/** How often a transaction runs again that was in conflict with others. */
const maxReruns = 3;

/** How long a read by key may wait, such as for the lock of a change of the schema: its request is answered within 2 s. */
const maxReadMs = 1_500;

/** The setting that says whose rows a transaction sees: see migrations/make-table.ts. */
interface Scope {
  readonly name: 'storectl.store_id' | 'storectl.administration';
  readonly value: string;
}

const everything: Scope = { name: 'storectl.administration', value: 'on' };

/**
 * Opens a database on PostgreSQL. What the URL leaves out, such as the password, comes from the environment as
 * in every PostgreSQL client (PGPASSWORD, PGSSLMODE …). Sessions have no state, so a pooler may share them between
 * transactions, as PgBouncer does. `timeoutMs` is how long to wait for a lock. Throws a DatabaseSetupError.
 */
export async function openPostgres(location: string, timeoutMs: number, poolSize: number): Promise<Storage> {
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
  const connections = createConnections(pg, config, timeoutMs);
  // Changes of a store wait for each other here, before they take a connection: a store never holds more than one.
  const ofStore = createQueue(1, timeoutMs);
  let commits = 0;

  function beginningOf({ name, value }: Scope, lockedStore: string | undefined, deadline: number): string {
    const lockMs = Math.max(1, Math.ceil(deadline - performance.now()));
    // A change waits for the lock of its store and must then see what the change before it has committed. Foreign keys
    // of other transactions that name the store do not wait.
    const lock =
      lockedStore === undefined
        ? ''
        : `select from stores where id = ${pg.escapeLiteral(lockedStore)} and deleted_at is null for no key update`;
    // Queries read in the order of an index. Where a store has far more rows than others, the planner would rather sort them all.
    return `begin isolation level read committed, read write;
      set local ${name} = ${pg.escapeLiteral(value)}; set local lock_timeout = ${lockMs}; set local enable_sort = off;
      set local idle_in_transaction_session_timeout = ${maxIdleMs}; ${lock}`;
  }

  /** Runs `work` while the server answers. Rejects with a StorageBusyError if the database is not available. */
  async function attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await connections.guard(work);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      throw new StorageBusyError('the database is not available', { cause: error });
    }
  }

  /** Runs a transaction again, up to three times and within its deadline, if others were in conflict with it. */
  async function rerunning<Result>(deadline: number, run: () => Promise<Result>): Promise<Result> {
    for (let again = maxReruns; ; again -= 1) {
      try {
        return await run();
      } catch (error) {
        if (again === 0 || !isConflict(error) || performance.now() >= deadline) throw error;
      }
    }
  }

  /** Each statement is its own transaction, on any connection. One that fails closes its connection. */
  function readingQueries(scope: Scope): Queries {
    return queriesOn('postgres', async (text, parameters, known) => {
      const client = await connections.connect();
      const isKept = connections.keepsStatements(client);
      const read = readOf(scope, text, parameters, known, isKept);
      let isBroken = true;
      try {
        const { rows } = await client.query(read);
        isBroken = false;
        return { rows, changes: 0 };
      } finally {
        client.release(isBroken);
      }
    });
  }

  /** Locks a store first if one is given. */
  async function write<Result>(
    scope: Scope,
    work: TransactionWork<Result>,
    deadline: number,
    lockedStore?: string,
  ): Promise<Result> {
    const client = await connections.connect();
    const begun = client.query(beginningOf(scope, lockedStore, deadline)).then((answer) => {
      const locked = [answer].flat().at(-1)?.rowCount;
      if (lockedStore !== undefined && locked === 0) throw notFound('Store', lockedStore);
    });
    const { db, sent, end } = transactionOn(client, connections.keepsStatements(client), begun);
    try {
      const result = await work(db);
      end();
      await begun;
      await commit(client, sent, timeoutMs);
      commits += 1;
      client.release();
      return result;
    } catch (error) {
      end();
      if (error instanceof UnknownCommitError) {
        client.release(true);
        throw error;
      }
      client.query('rollback').then(
        () => client.release(),
        () => client.release(true),
      );
      // What follows a statement that has failed fails for that reason only.
      for (const answer of sent) await answer;
      throw error;
    }
  }

  const transactions = (scope: Scope): Transactions => ({
    read: (work) => attempt(() => work(readingQueries(scope))),
    write(work) {
      const deadline = performance.now() + timeoutMs;
      return attempt(() => rerunning(deadline, () => write(scope, work, deadline)));
    },
  });

  async function outsideTransaction(statement: string): Promise<void> {
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
    warnings = await transactions(everything).read(checkSetup);
  } catch (error) {
    await connections.end();
    if (!isPasswordMissing(error)) throw error;
    throw new DatabaseSetupError(
      'the server asks for a password, and none is given',
      { cause: error },
      'set the password in PGPASSWORD',
    );
  }
  return {
    engine: 'postgres',
    warnings,
    ...transactions(everything),
    forStore: (storeId) => {
      const scope: Scope = { name: 'storectl.store_id', value: storeId };
      return {
        ...transactions(scope),
        change(work) {
          const deadline = performance.now() + timeoutMs;
          const run = () => write(scope, work, deadline, storeId);
          return ofStore(storeId, () => attempt(() => rerunning(deadline, run)));
        },
      };
    },
    outsideTransaction,
    usage: () => ({ commits, changes: commits, connections: connections.usage() }),
    close: connections.end,
  };
}

/**
 * A statement that reads, with its scope. The side of a lateral join that the other refers to comes first, so the setting is
 * there when row-level security asks for it, and it ends with the statement.
 */
function readOf(
  scope: Scope,
  text: string,
  parameters: readonly unknown[],
  known: KnownStatement | undefined,
  isKept: boolean,
): QueryConfig {
  return {
    text: `select answer.* from set_config('${scope.name}', $${parameters.length + 1}, true) as scope
      cross join lateral (select * from (${text}) as answer where scope is not null offset 0) as answer`,
    values: [...parameters, scope.value],
    ...(known && { query_timeout: maxReadMs }),
    ...(known && isKept && { name: `${known.name} ${scope.name}` }),
  };
}

/**
 * Queries of a transaction, of which the first is sent along with what begins it: `begun`. `sent` is what nobody waits for until
 * its end, and after `end` nothing more is sent.
 */
function transactionOn(client: ClientBase, keepsStatements: boolean, begun: Promise<void>) {
  let isOver = false;
  const sent: Promise<unknown>[] = [begun];
  begun.catch(() => {});
  const db = queriesOn('postgres', async (text, parameters, known) => {
    if (isOver) throw new Error('the transaction has ended');
    const name = keepsStatements ? known?.name : undefined;
    const answer = client.query({ text, values: [...parameters], ...(name && { name }) });
    answer.catch(() => {});
    if (known?.isEffect) {
      sent.push(answer);
      return { rows: [], changes: 1 };
    }
    await begun;
    const { rows, rowCount } = await answer;
    return { rows, changes: rowCount ?? 0 };
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
  timeoutMs: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UnknownCommitError('the commit takes too long')), timeoutMs);
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

async function loadDriver() {
  try {
    return await import('pg');
  } catch (cause) {
    throw unloadable('PostgreSQL', 'pg', cause);
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
    .map(([name]) => `${name} is off on this PostgreSQL: a crash loses changes that clients count as stored`);
  return isUnbound
    ? ['this PostgreSQL role bypasses row-level security: use one without SUPERUSER and BYPASSRLS', ...unsafe]
    : unsafe;
}
