import type { Socket } from 'node:net';
import type { Client } from 'undici';
import { connectTimeout, openSocket, WireError } from './connect.ts';
import { outliveWriteErrors } from './outlive-write-errors.ts';
import { type HeadReader, MAX_HEAD_BYTES, readHeads } from './response-head.ts';
import { compileLess } from './v8-flags.ts';

const closedEarly = 'the connection was closed before the request was sent';

/** A connection to one origin, open or being opened, with at most one request on it. */
export type HttpConnection = ReturnType<typeof openConnection>;

/** Begins to open a connection to `origin`, through `proxy` if it is not null. `timeoutMs` includes the TLS handshake. */
export function openConnection(origin: URL, proxy: URL | null, timeoutMs: number) {
  const opening = new AbortController();
  const timer = setTimeout(() => opening.abort(connectTimeout(origin)), timeoutMs);
  let socket: Socket | null = null;
  let isFailed = false;
  let isTaken = false;
  let heads: HeadReader | null = null;
  const opened = openSocket(origin, proxy, opening.signal).finally(() => clearTimeout(timer));
  const settled = opened.then(
    (ready) => {
      socket = ready;
    },
    () => {
      isFailed = true;
    },
  );
  const client = loadUndici().then(
    (UndiciClient) =>
      new UndiciClient(origin.origin, {
        maxHeaderSize: MAX_HEAD_BYTES,
        // `exchange` in transport.ts has its own timers.
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: (_options, callback) => {
          // Undici asks again if the connection was closed just before the request.
          if (isTaken) return callback(new WireError('connect_failed', closedEarly), null);
          isTaken = true;
          opened.then(
            (ready) => {
              outliveWriteErrors(ready);
              heads = readHeads(ready);
              callback(null, ready);
            },
            (error) => callback(error, null),
          );
        },
      }),
  );
  return {
    /** Sends requests on the connection. */
    client,
    /** Resolves when the connection is open or cannot be opened. */
    settled,
    /** When the last response ended, in milliseconds of the monotonic clock; 0 before the first. */
    answeredAt: 0,
    /**
     * Whether a request may be sent on the connection. False if the connection could not be opened, was closed, has received bytes that no
     * request asked for, or has not sent the whole of the last request.
     */
    isUsable: () => !isFailed && (socket === null || isClean(socket)),
    /** To be called before each request. */
    beforeRequest: () => heads?.beforeRequest(),
    /** The status of the last response, even if its headers cannot be read. */
    status: () => heads?.status() ?? null,
    /** Whether headers of the last response were left out. */
    lacksHeaders: () => heads?.isCut() ?? false,
    /** Closes the connection, also while it is being opened. */
    destroy(reason?: WireError): void {
      opening.abort(reason);
      void settled.then(() => socket?.destroy());
      void client.then((loaded) => loaded.destroy(reason ?? null));
    },
  };
}

function isClean({ destroyed, readableLength, writableLength }: Socket): boolean {
  return !destroyed && readableLength === 0 && writableLength === 0;
}

/** Holds a connection that was opened ahead of its request, until it is used or has been open for `maxIdleMs`. */
export function openAhead(open: () => HttpConnection, maxIdleMs: number) {
  let waiting: HttpConnection | null = null;
  let timer: NodeJS.Timeout | undefined;

  function drop(connection: HttpConnection): void {
    if (waiting === connection) take()?.destroy();
  }

  /** Hands out the connection, once. Undefined if there is none, or it cannot be used. */
  function take(): HttpConnection | undefined {
    const connection = waiting;
    waiting = null;
    clearTimeout(timer);
    if (connection === null || connection.isUsable()) return connection ?? undefined;
    connection.destroy();
    return undefined;
  }

  return {
    take,
    begin() {
      if (waiting !== null) return;
      const connection = open();
      waiting = connection;
      void connection.settled.then(() => {
        if (waiting === connection) timer = setTimeout(() => drop(connection), maxIdleMs);
      });
    },
  };
}

/** The HTTP/1.1 client alone: most of a start would go by loading the rest of undici (bench/README.md, "What makes it start fast"). */
async function loadUndici(): Promise<typeof Client> {
  const { default: UndiciClient } = await import('undici/lib/dispatcher/client.js');
  await compileLess();
  return UndiciClient;
}
