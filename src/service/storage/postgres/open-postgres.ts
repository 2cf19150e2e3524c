import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CamelCasePlugin, CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { isAborted, isConnectionLost, isUnavailable } from '../core/engine-errors.ts';
import { DatabaseSetupError, StorageBusyError, UnknownCommitError } from '../core/errors.ts';
import type { Schema } from '../core/schema.ts';
import type { Locks, Queries, Storage, Transactions, TransactionWork } from '../core/storage.ts';
import { createStoreQueue } from './store-queue.ts';

/** Times that a transaction is run when PostgreSQL breaks it off. */
const maxAttempts = 5;

const bigintOid = 20;

/** Of one process, and those of them that the changes of one store may take. */
const connections = 10;
const connectionsOfAStore = 3;

/** How many times as long as a lock is waited for PostgreSQL may be silent: then nobody is there any more. */
const patienceForAnswers = 12;

/** Whose rows a transaction sees: see row-security-migration.ts. */
type Audience = { readonly storeId: string } | 'administration';

/**
 * Opens a database on PostgreSQL. What the URL leaves out, a password above all, comes from the environment as in
 * every PostgreSQL client (PGPASSWORD, PGSSLMODE …). Locks are waited for up to `patienceMs`.
 */
export async function openPostgres(url: string, patienceMs: number): Promise<Storage> {
  const { Pool, escapeLiteral, types } = await loadDriver();
  if (!URL.canParse(url)) throw new DatabaseSetupError('the URL of the database is not valid');
  const sockets = new Set<Socket>();
  const newSocket = () => {
    const socket = new Socket();
    const giveUp = () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }));
    sockets.add(socket.setTimeout(patienceMs * patienceForAnswers, giveUp));
    return socket.once('close', () => sockets.delete(socket));
  };
  const pool = new Pool({
    connectionString: url,
    stream: newSocket,
    max: connections,
    application_name: 'storectl',
    connectionTimeoutMillis: patienceMs,
    lock_timeout: patienceMs,
    // A process that hangs in the middle of a transaction must not keep its locks.
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    types: {
      getTypeParser: (oid, format) => (oid === bigintOid ? Number : types.getTypeParser(oid, format)),
    },
  });
  // A connection that is lost while nobody waits for its answer is replaced at its next use, or fails what it is used for.
  // The pool listens only to those that nobody uses, and what nobody listens to would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] });

  const queue = createStoreQueue(connectionsOfAStore, patienceMs);

  function begin(mode: 'read' | 'write', audience: Audience): string {
    const setting =
      audience === 'administration'
        ? "set local storectl.administration = 'on'"
        : `set local storectl.store_id = ${escapeLiteral(audience.storeId)}`;
    // Changes to a store take turns by locks, and have to see what the one before them has committed meanwhile.
    return mode === 'read'
      ? `begin isolation level repeatable read, read only; ${setting}`
      : `begin isolation level read committed, read write; ${setting}`;
  }

  function transactions(audience: Audience): Transactions {
    const locksOf = (queries: Queries) =>
      createLocks(queries, audience === 'administration' ? 'administration' : audience.storeId);
    const run = <Result>(mode: 'read' | 'write', work: TransactionWork<Result>) =>
      retryAborted(() =>
        db.connection().execute(async (queries) => {
          await queries.executeQuery(CompiledQuery.raw(begin(mode, audience)));
          let result: Result;
          try {
            result = await work(queries, locksOf(queries));
          } catch (error) {
            // Where the connection is gone, so is the transaction.
            await queries.executeQuery(CompiledQuery.raw('rollback')).catch(() => {});
            throw error;
          }
          await commit(queries, mode);
          return result;
        }),
      );
    return {
      read: (work) => run('read', work),
      write: (work) =>
        audience === 'administration'
          ? run('write', work)
          : queue(audience.storeId, () => run('write', work)),
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
    warnings,
    ...transactions('administration'),
    forStore: (storeId) => transactions({ storeId }),
    version: async () => null,
    async close() {
      const cutOff = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), patienceMs);
      await db.destroy();
      clearTimeout(cutOff);
    },
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

/** Throws when the database cannot hold what the service stores. Answers what is less than good. */
async function checkSetup(db: Queries): Promise<string[]> {
  const { rows } = await sql<{ encoding: string; isUnbound: boolean }>`
    select current_setting('server_encoding') as encoding, rolsuper or rolbypassrls as is_unbound
    from pg_roles where rolname = current_user`.execute(db);
  const encoding = rows[0]?.encoding;
  if (encoding !== 'UTF8') {
    throw new DatabaseSetupError(`the database is encoded in ${encoding}: create it with encoding UTF8`);
  }
  return rows[0]?.isUnbound
    ? ['this role of PostgreSQL passes row-level security: use one that is no superuser and has no BYPASSRLS']
    : [];
}

async function commit(queries: Queries, mode: 'read' | 'write'): Promise<void> {
  try {
    await queries.executeQuery(CompiledQuery.raw('commit'));
  } catch (cause) {
    if (mode === 'read' || !isConnectionLost(cause)) throw cause;
    throw new UnknownCommitError('the database went away during a commit', { cause });
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
        throw new StorageBusyError('the database broke the changes off', { cause: error });
      }
    }
    await sleep(Math.random() * 10 * 2 ** number);
  }
}

/**
 * Advisory locks, which end with the transaction. A change has a share in `restore` and then its turn in `change`; a
 * restore has `restoring`, which no change asks for, and then all of `restore`, so that it can tell another restore
 * from a change.
 */
function createLocks(db: Queries, scope: string): Locks {
  const key = (name: string) => sql`hashtextextended(${`storectl ${name} ${scope}`}, 0)`;
  const ask = async (call: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ granted: unknown }>`select ${call} as granted`.execute(db);
    return rows[0]?.granted !== false;
  };
  return {
    claim: (name) => ask(sql`pg_try_advisory_xact_lock(${key(`claim ${JSON.stringify(name)}`)})`),
    acquireChange: async () =>
      (await ask(sql`pg_try_advisory_xact_lock_shared(${key('restore')})`)) &&
      (await ask(sql`pg_advisory_xact_lock(${key('change')})`)),
    acquireRestore: async () =>
      (await ask(sql`pg_try_advisory_xact_lock(${key('restoring')})`)) &&
      (await ask(sql`pg_advisory_xact_lock(${key('restore')})`)),
  };
}
