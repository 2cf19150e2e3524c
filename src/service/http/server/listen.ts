import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../model/errors.ts';
import { createBodyReader, type HttpHandler, type HttpRequest } from '../http-message.ts';
import { clientAddressOf, type IsTrustedProxy } from '../request/client-address.ts';
import { watchConnections } from './connections.ts';
import { drain } from './refusals.ts';

/** How long clients may take after a stop to send the rest of a request, or to read a response. */
const defaultGraceMs = 10_000;

/** Between two looks at those who have not. */
const checkMs = 500;

/** How long a request may take to arrive: a client that sends a byte now and then must not hold a connection. */
const defaultReceiveMs = 30_000;

const maxConnections = 4_000;
const maxHeaders = 100;

interface CloseOptions {
  /** How long to accept connections after the call, so that load balancers notice. Default: 0. */
  readonly drainMs?: number;
  /** How long idle connections may send another request after that. Default: 0. */
  readonly idleMs?: number;
  /** How long clients may take after that to send the rest of a request and to read its response. Default: 10 s. */
  readonly graceMs?: number;
}

export interface Listening {
  /** Such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /**
   * Stops gracefully. From the call on, answers have `Connection: close` and `/readyz` is 503. A request that has arrived
   * is answered, however long that takes: it may be committed already.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Gets one record per request that does not reach the app. */
  readonly log?: (line: object) => void;
  /** How long a request may take to arrive. Default: 30 s. */
  readonly receiveMs?: number;
  /** Whose X-Forwarded-For is believed, from {@link parseTrustedProxies}. Default: nobody's. */
  readonly isTrustedProxy?: IsTrustedProxy | undefined;
}

/** Serves the app over HTTP. Rejects with an error whose `code` is such as EADDRINUSE. */
export async function listen(
  app: HttpHandler,
  { host, port, log = () => {}, receiveMs = defaultReceiveMs, isTrustedProxy = () => false }: ListenOptions,
): Promise<Listening> {
  const addressOf = (incoming: IncomingMessage) => clientAddressOf(incoming, isTrustedProxy);
  const limits = {
    headersTimeout: receiveMs,
    requestTimeout: receiveMs,
    connectionsCheckingInterval: Math.min(receiveMs, 5_000),
  };
  const server = createServer({ ...limits, requireHostHeader: false }, (incoming, outgoing) => {
    if (!connections.admit(incoming, outgoing)) return;
    const refusal = findFault(incoming);
    if (refusal !== null) connections.refuse(incoming, outgoing, refusal);
    else answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.maxConnections = maxConnections;
  // Without a byte in either direction: a client that does not read its response must not hold a connection either.
  server.timeout = 4 * receiveMs;
  // Node would silently drop headers above its limit, such as the API key.
  server.maxHeadersCount = 0;
  // A client that ends its side after its requests still gets all responses: by default Node then drops those that are not
  // written yet. It is an old option of Node's server that its documentation and types lack.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node calls it when the server closes, and would cut off connections whose last response is not sent yet.
  server.closeIdleConnections = () => {};
  const connections = watchConnections(server, { log, addressOf });
  let isStopping = false;
  let closing: Promise<void> | undefined;

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { status, headers, body } = await app({
      method: incoming.method ?? '',
      ...targetOf(incoming.url ?? ''),
      clientAddress: addressOf(incoming),
      isStopping,
      header: (name) => incoming.headers[name]?.toString(),
      readBody: createBodyReader(incoming),
    });
    // What is ready in one turn of the event loop is sent together: each write wakes a client, which takes the processor away.
    await nextTurn();
    if (isStopping && connections.isLastRequest(incoming.socket)) outgoing.setHeader('Connection', 'close');
    // Node writes an ASCII text faster as latin1. For bytes, the encoding means nothing.
    const isAscii = Number(headers['Content-Length']) === body?.length;
    outgoing.writeHead(status, headers).end(body, isAscii ? 'latin1' : 'utf8');
    if (!incoming.complete) drain(incoming);
  }

  async function stop({ drainMs = 0, idleMs = 0, graceMs = defaultGraceMs }: CloseOptions): Promise<void> {
    isStopping = true;
    if (drainMs > 0) await sleep(drainMs);
    await connections.acceptPending();
    const ended = new AbortController();
    const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => ended.abort());
    // A timer that goes on would keep the process alive.
    const waitAtMost = (ms: number) => sleep(ms, undefined, { signal: ended.signal }).catch(() => {});
    if (idleMs > 0) await waitAtMost(idleMs);
    connections.close();
    await waitAtMost(graceMs);
    const timer = setInterval(() => connections.closeLate(), checkMs);
    await closed;
    clearInterval(timer);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

  return {
    origin: originOf(server, host),
    close(options = {}) {
      closing ??= stop(options);
      return closing;
    },
  };
}

/** What a request has once: of several, this service and a proxy before it could each go by another one. */
const single = ['Host', 'Authorization', 'Content-Type'];

/** What Node's parser accepts and other programs read differently, or null. */
function findFault({ httpVersion, rawHeaders, headersDistinct }: IncomingMessage): ServiceError | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return new ServiceError('malformed_request', `HTTP/${httpVersion} is not supported`);
  }
  if (rawHeaders.length > 2 * maxHeaders) {
    return new ServiceError('headers_too_large', `A request can have at most ${maxHeaders} headers`);
  }
  const repeated = single.find((name) => (headersDistinct[name.toLowerCase()]?.length ?? 0) > 1);
  if (repeated !== undefined)
    return new ServiceError('malformed_request', `There is more than one ${repeated} header`);
  if (headersDistinct.host === undefined && httpVersion === '1.1') {
    return new ServiceError('malformed_request', 'The Host header is missing');
  }
  return null;
}

/** Path and query of a request target, which may be a whole URL. */
function targetOf(target: string): Pick<HttpRequest, 'path' | 'query'> {
  if (!target.startsWith('/') && URL.canParse(target)) {
    const { pathname, search } = new URL(target);
    return { path: pathname, query: search.slice(1) };
  }
  const [path = '', ...query] = target.split('?');
  return { path, query: query.join('?') };
}

function originOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
