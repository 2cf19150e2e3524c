import type { Client, Dispatcher } from 'undici';
import { monotonicMs } from '../../base/clock.ts';
import { errorCode } from '../../base/system-error.ts';
import type { AttemptFailure } from '../outcome/outcome.ts';
import { connectReason, WireError } from './connect.ts';
import { type HttpConnection, openAhead, openConnection } from './connection.ts';
import { bodyTooLarge, MAX_BODY_BYTES } from './decode.ts';
import { MAX_HEAD_BYTES } from './response-head.ts';

/** Time limit for name resolution, proxy and TLS together. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A connection that was opened or has answered within this time is still open: services keep idle connections for some seconds. */
const WARM_MS = 500;

interface WireRequest {
  readonly method: string;
  /** Path and query on the origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /**
   * The connection for the request:
   * - `any`: an idle connection if there is one.
   * - `own`: a connection without an earlier request. The service may be closing an idle connection, or may send a second response to an
   *   earlier request, which would be taken for the response to this one.
   * - `warm`: an idle connection that answered within {@link WARM_MS} and so is still open; else `own`.
   */
  readonly connection: 'any' | 'own' | 'warm';
  /** Time limit for the whole exchange, connecting included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /**
   * Called when the connection is open. If it returns false, nothing is sent, and the failure is `throttled`. If it throws, nothing is
   * sent, and the exchange rejects with the error.
   */
  mayStart?(): boolean;
}

export interface WireResponse {
  /** False if it is certain that no byte of the request reached anything that could read it. */
  readonly sent: boolean;
  readonly status: number | null;
  readonly statusText: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The received bytes of the body, not decoded yet. */
  readonly body: Buffer;
  /** Why the response is incomplete, or null if all of it came. */
  readonly failure: AttemptFailure | null;
  /** Warnings about a complete response, for people. */
  readonly oddities: readonly string[];
}

/** HTTP/1.1 to one origin, through `proxy` if it is not null. Connections are kept for undici's default of 4 s. */
export function createTransport(
  origin: URL,
  proxy: URL | null,
  connectTimeoutMs: number = CONNECT_TIMEOUT_MS,
) {
  const idle: HttpConnection[] = [];
  const open = () => openConnection(origin, proxy, connectTimeoutMs);
  const ahead = openAhead(open, WARM_MS);
  let closed = false;
  let hasAnswered = false;

  /** The idle connection that has answered last, if its response ended at most `maxAgeMs` ago. */
  function takeIdle(maxAgeMs: number): HttpConnection | undefined {
    for (;;) {
      const connection = idle.at(-1);
      if (connection === undefined || monotonicMs() - connection.answeredAt >= maxAgeMs) return undefined;
      idle.pop();
      if (connection.isUsable()) return connection;
      connection.destroy();
    }
  }

  function takeConnection(use: WireRequest['connection']): HttpConnection {
    if (use === 'any') return takeIdle(Number.POSITIVE_INFINITY) ?? open();
    return (use === 'warm' ? takeIdle(WARM_MS) : undefined) ?? ahead.take() ?? open();
  }

  return {
    /** Begins to open a connection for the next request that needs a new one. */
    connect(): void {
      if (!closed) ahead.begin();
    },
    /** Sends one request at most once; follows no redirect. Rejects for a request that is not valid HTTP, or if `mayStart` throws. */
    async exchange(request: WireRequest): Promise<WireResponse> {
      const connection = takeConnection(request.connection);
      try {
        const client = await connection.client;
        const response = await exchangeOn(connection, client, origin, request, () => hasAnswered);
        hasAnswered ||= response.status !== null;
        connection.answeredAt = monotonicMs();
        if (response.failure === null && !closed) idle.push(connection);
        else connection.destroy();
        return response;
      } catch (error) {
        connection.destroy();
        throw error;
      }
    },
    async close(): Promise<void> {
      closed = true;
      for (const connection of [ahead.take(), ...idle.splice(0)]) connection?.destroy();
    },
  };
}

function describeTimeout({ host }: URL, status: number | null, timeoutMs: number): string {
  const within = `within ${Math.round(timeoutMs / 100) / 10} s`;
  return status === null
    ? `${host} did not answer ${within}`
    : `the response from ${host} did not end ${within}`;
}

const paused = new WireError('throttled', 'the service asked to wait');

function exchangeOn(
  connection: HttpConnection,
  client: Client,
  origin: URL,
  request: WireRequest,
  hasAnswered: () => boolean,
): Promise<WireResponse> {
  const { method, path, headers, timeoutMs, signal } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let halted: WireError | null = null;
    let status: number | null = null;
    let statusText = '';
    let responseHeaders: Record<string, string> = {};
    const chunks: Buffer[] = [];
    let size = 0;

    const halt = (error: WireError) => {
      halted ??= error;
      if (controller !== null) return controller.abort(halted);
      connection.destroy(halted);
    };
    const cancel = () => halt(new WireError('cancelled', 'cancelled'));
    const timer = setTimeout(
      () => halt(new WireError('timeout', describeTimeout(origin, status, timeoutMs))),
      timeoutMs,
    );
    const stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    };
    const finish = (failure: AttemptFailure | null) => {
      stopWaiting();
      const sent = controller !== null && failure?.code !== 'tls_handshake_failed';
      const oddities = failure === null && connection.lacksHeaders() ? [manyHeaders] : [];
      const body = Buffer.concat(chunks);
      resolve({ sent, status, statusText, headers: responseHeaders, body, failure, oddities });
    };

    signal?.addEventListener('abort', cancel, { once: true });
    client.dispatch(
      { method, path, headers, body: request.body },
      {
        onRequestStart(started) {
          if (halted !== null) return started.abort(halted);
          // undici may put a request back into its queue. Only the retry table decides about a second attempt.
          if (controller !== null) return started.abort(new Error('the connection was lost'));
          try {
            if (request.mayStart?.() === false) return started.abort(paused);
          } catch (error) {
            stopWaiting();
            reject(error);
            return started.abort(paused);
          }
          controller = started;
          connection.beforeRequest();
        },
        onResponseStart(_controller, code, received, text) {
          status = code;
          statusText = text ?? '';
          responseHeaders = joinHeaders(received);
        },
        onResponseData(started, chunk) {
          size += chunk.length;
          if (size > MAX_BODY_BYTES) return started.abort(bodyTooLarge());
          chunks.push(chunk);
        },
        onResponseEnd: () => finish(null),
        onResponseError(_controller, error) {
          if (errorCode(error) === 'UND_ERR_INVALID_ARG') {
            stopWaiting();
            reject(error);
          } else if (error instanceof WireError) finish(error.failure);
          else if (controller === null) finish(brokenUnsent(error));
          else if (errorCode(error) === 'UND_ERR_HEADERS_OVERFLOW') {
            status = connection.status();
            finish({ code: 'headers_too_large', message: describeHeaders(origin) });
          } else {
            const isFirst = origin.protocol === 'http:' && status === null && !hasAnswered();
            finish(brokenConnection(error, isFirst ? origin.host : null));
          }
        },
      },
    );
    if (signal?.aborted) cancel();
  });
}

const manyHeaders = `more than ${MAX_HEAD_BYTES / 1024} KiB of headers; the longest were left out`;

function describeHeaders({ host }: URL): string {
  return `the response from ${host} has more than ${MAX_HEAD_BYTES / 1024} KiB of headers and cannot be read; a gateway in front of the service may set too many cookies`;
}

function brokenUnsent(error: Error): AttemptFailure {
  const message = `the connection was lost before the request was sent (${connectReason(error)})`;
  return { code: 'connect_failed', message };
}

/** The failure of a lost connection. `plainHost` is the host of a request without TLS before any response, or null. */
function brokenConnection(error: Error, plainHost: string | null): AttemptFailure {
  if (plainHost !== null && 'data' in error && isTlsAlert(error.data)) {
    return {
      code: 'tls_handshake_failed',
      message: `${plainHost} requires TLS: use https:// in the base URL`,
    };
  }
  if (error.name === 'HTTPParserError') {
    return { code: 'connection_lost', message: `the response is not valid HTTP (${connectReason(error)})` };
  }
  const advice = plainHost === null ? '' : '; the port may require https://';
  return {
    code: 'connection_lost',
    message: `the connection was lost before the response was complete (${connectReason(error)}${advice})`,
  };
}

/** Whether bytes are the answer of a TLS server to plain HTTP: a fatal alert of any version (RFC 8446, sections 5.1 and 6). */
function isTlsAlert(received: unknown): boolean {
  return (
    typeof received === 'string' && received.startsWith('\x15\x03') && received.slice(3, 6) === '\0\x02\x02'
  );
}

function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const joined: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(headers)) {
    joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}
