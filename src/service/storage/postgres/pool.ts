import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client, ClientBase, Pool, PoolClient, PoolConfig } from 'pg';
import { codeOf } from '../core/engine-errors.ts';

/** A transaction that runs for this long makes us ask whether the server still answers, in ms. */
const checkAfterMs = 500;
/** Between two looks at how long that is, in ms. */
const lookMs = 100;
/** How long the server may take to answer. Together less than 2 s, after which a request is to be answered. */
const checkMs = 1_300;

/** A connection without a response for this many times the timeout is closed. */
const maxSilentTimeouts = 12;

/** Connections to a server. */
export interface Connections {
  connect(): Promise<PoolClient>;
  /** Whether the session of a connection is its own, so that it keeps statements: a pooler may share sessions. */
  keepsStatements(client: ClientBase): boolean;
  /** How many connections there are, how many of them are idle, and how many transactions wait for one. */
  usage(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Runs `work`. If the server stops answering meanwhile, all connections to it are closed. */
  guard<Result>(work: () => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

/** Sends what is written in one turn of the event loop together: each packet wakes a process of the server. */
class TurnSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => super.uncork());
  }
}

/** Opens connections as they are needed. `timeoutMs` is how long a transaction waits for one. */
export function createConnections(
  pg: { readonly Pool: typeof Pool; readonly Client: typeof Client },
  config: PoolConfig,
  timeoutMs: number,
): Connections {
  const sockets = new Set<Socket>();
  const withOwnSession = new WeakSet<ClientBase>();
  let lastAnswer = 0;
  /** On connections that have been closed: what they received must not be missing afterwards. */
  let receivedBefore = 0;
  let isChecking = false;

  function newSocket(): Socket {
    const socket = new TurnSocket();
    sockets.add(socket.setTimeout(timeoutMs * maxSilentTimeouts, () => socket.destroy(noResponse())));
    return socket.once('close', () => {
      sockets.delete(socket);
      receivedBefore += socket.bytesRead;
    });
  }

  const bytesReceived = () =>
    [...sockets].reduce((total, { bytesRead }) => total + bytesRead, receivedBefore);

  const pool = new pg.Pool({
    ...config,
    stream: newSocket,
    connectionTimeoutMillis: timeoutMs,
    async onConnect(client) {
      if (await hasOwnSession(client)) withOwnSession.add(client);
    },
  });
  // The pool replaces an idle connection that breaks. Without listeners such an error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  async function checkOnce(): Promise<void> {
    if (isChecking || performance.now() - lastAnswer < checkAfterMs) return;
    isChecking = true;
    await check();
    isChecking = false;
  }

  /** Closes all connections if a new one gets no response either: the server, or the way to it, is gone. */
  async function check(): Promise<void> {
    const start = performance.now();
    const received = bytesReceived();
    const client = new pg.Client({ ...config, stream: newSocket, connectionTimeoutMillis: checkMs });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      // What has arrived is read after the timers of a turn.
      await nextTurn();
      // An error of the server is a response, and so is anything that another connection received meanwhile: a server under
      // load takes longer to accept a connection. If the timer is late, this process was too busy to see a response.
      const hasAnswered = /^[0-9A-Z]{5}$/.test(codeOf(error)) || bytesReceived() > received;
      const wasBusy = performance.now() - start > 1.5 * checkMs;
      if (hasAnswered || wasBusy) return;
      for (const socket of sockets) socket.destroy(noResponse());
    } finally {
      await client.end().catch(() => {});
    }
  }

  return {
    connect: () => pool.connect(),
    keepsStatements: (client) => withOwnSession.has(client),
    usage: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async guard(work) {
      const start = performance.now();
      const timer = setInterval(() => {
        if (performance.now() - start >= checkAfterMs) void checkOnce();
      }, lookMs);
      try {
        const result = await work();
        lastAnswer = performance.now();
        return result;
      } finally {
        clearInterval(timer);
      }
    },
    async end() {
      const cutOff = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, timeoutMs);
      await pool.end();
      clearTimeout(cutOff);
      // The pool forgets a connection that fails while it is made, without closing it: the server would wait for the password.
      for (const socket of sockets) socket.destroy();
    },
  };
}

function noResponse(): Error {
  return Object.assign(new Error('no response'), { code: 'ETIMEDOUT' });
}

/**
 * Whether the server process is the one that answered when we connected: a pooler answers by itself. Rejects if the server is
 * a standby or read-only.
 */
async function hasOwnSession(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as is_read_only,
      pg_backend_pid() as process_id`,
  );
  if (rows[0]?.is_read_only === true) {
    throw Object.assign(new Error('the server is read-only'), { code: '25006' });
  }
  return 'processID' in client && client.processID === rows[0]?.process_id;
}
