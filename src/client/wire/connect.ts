import { isIP, type Socket, connect as startTcp } from 'node:net';
import { isLoopbackAddress } from '../../base/loopback.ts';
import { errorCode } from '../../base/system-error.ts';
import type { AttemptFailure } from '../outcome/outcome.ts';
import { portOf, proxyAuthorization } from './proxy.ts';

/** The failure of an attempt, as an error that undici passes on. */
export class WireError extends Error {
  readonly failure: AttemptFailure;

  constructor(code: AttemptFailure['code'], message: string) {
    super(message);
    this.name = 'WireError';
    this.failure = { code, message };
  }
}

/** How long one of several addresses may take before the next one is tried. Node's 250 ms are too short for slow links. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/**
 * Opens a connection to `origin`, through `proxy` if it is not null, and does the TLS handshake. Rejects with a {@link WireError}, or
 * with the reason of `signal` if that aborts first.
 */
export async function openSocket(origin: URL, proxy: URL | null, signal: AbortSignal): Promise<Socket> {
  const socket = proxy === null ? await openTcp(origin, signal) : await openTunnel(origin, proxy, signal);
  if (origin.protocol === 'https:') return openTls(socket, origin, signal);
  // A name such as store.localhost is loopback by convention only, and the API key must not leave this machine unencrypted.
  if (!isLoopbackAddress(socket.remoteAddress ?? '')) {
    socket.destroy();
    throw new WireError('connect_failed', `HTTPS is required for ${origin.host}`);
  }
  return socket;
}

function openTcp(url: URL, signal: AbortSignal): Promise<Socket> {
  const socket = startTcp({
    host: bareHost(url),
    port: portOf(url),
    noDelay: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  });
  return whenReady(socket, 'connect', signal, (error) => tcpError(error, url));
}

async function openTls(tcp: Socket, url: URL, signal: AbortSignal): Promise<Socket> {
  const { connect: startTls } = await import('node:tls');
  const host = bareHost(url);
  const socket = startTls({
    socket: tcp,
    host,
    ALPNProtocols: ['http/1.1'],
    // TLS does not allow an IP address as the server name.
    ...(isIP(host) === 0 && { servername: host }),
  });
  return whenReady(socket, 'secureConnect', signal, (error) => {
    // Node sets `authorizationError` only if the certificate was the reason.
    if (!socket.authorizationError) {
      const reason = connectReason(error);
      const advice =
        reason === 'ERR_SSL_WRONG_VERSION_NUMBER'
          ? '; the server does not speak TLS: check the port, and for a service on this machine try http://'
          : '';
      return new WireError(
        'tls_handshake_failed',
        `TLS connection to ${url.host} failed (${reason})${advice}`,
      );
    }
    const reason = connectReason(error);
    return new WireError(
      'certificate_untrusted',
      `the certificate of ${url.host} is not trusted (${reason}); ${adviceOn(reason)}`,
    );
  });
}

/** The advice for a certificate that is not trusted for this reason. */
function adviceOn(reason: string): string {
  if (reason === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'it is for another host: check the base URL';
  if (reason === 'CERT_HAS_EXPIRED' || reason === 'CERT_NOT_YET_VALID') {
    return "check this machine's clock; if it is right, the service needs a new certificate";
  }
  return 'for a private CA, set NODE_EXTRA_CA_CERTS to its certificate file';
}

/** Asks an HTTP proxy for a tunnel to `origin`. */
async function openTunnel(origin: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const { request } = await import('node:http');
  const connection = await openProxy(proxy, signal);
  const authority = `${origin.hostname}:${portOf(origin)}`;
  const authorization = proxyAuthorization(proxy);
  const ask = request({
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...(authorization !== null && { 'proxy-authorization': authorization }) },
    createConnection: () => connection,
  });
  const abort = () => connection.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const fail = (reason: string) =>
        reject(new WireError('proxy_failed', `the proxy ${proxy.host} refused to connect (${reason})`));
      ask.on('error', (error) => (signal.aborted ? reject(signal.reason) : fail(connectReason(error))));
      ask.on('connect', ({ statusCode = 0 }, _socket, head) => {
        if (statusCode < 200 || statusCode > 299) {
          connection.destroy();
          return fail(
            statusCode === 407
              ? 'HTTP 407: it needs a user name and password, or those in its URL are wrong'
              : `HTTP ${statusCode}`,
          );
        }
        if (head.length > 0) connection.unshift(head);
        resolve(connection);
      });
      ask.end();
    });
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function openProxy(proxy: URL, signal: AbortSignal): Promise<Socket> {
  try {
    const socket = await openTcp(proxy, signal);
    return proxy.protocol === 'https:' ? await openTls(socket, proxy, signal) : socket;
  } catch (error) {
    if (!(error instanceof WireError) || signal.aborted) throw error;
    if (error.failure.code === 'certificate_untrusted') throw error;
    throw new WireError('proxy_failed', `the proxy ${proxy.host} cannot be used: ${error.message}`);
  }
}

function whenReady(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  describe: (error: Error) => WireError,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const abort = () => socket.destroy();
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      reject(signal.aborted ? signal.reason : describe(error));
    };
    // The listener stays on the socket: an error before undici takes the socket must not be unhandled.
    socket.on('error', fail);
    socket.once('close', () => fail(new Error('closed')));
    socket.once(event, () => {
      signal.removeEventListener('abort', abort);
      resolve(socket);
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

function tcpError(error: Error, url: URL): WireError {
  const causes: readonly Error[] = error instanceof AggregateError ? error.errors : [error];
  const codes = causes.map(connectReason);
  if (causes.some((cause) => 'syscall' in cause && cause.syscall === 'getaddrinfo')) {
    return new WireError('name_not_found', `cannot resolve ${url.hostname} (${codes[0]})`);
  }
  if (codes.includes('ECONNREFUSED')) {
    return new WireError('connection_refused', `${url.host} refused the connection`);
  }
  if (codes.includes('ETIMEDOUT')) return connectTimeout(url);
  return new WireError('connect_failed', `cannot connect to ${url.host} (${codes[0]})`);
}

export function connectTimeout(url: URL): WireError {
  return new WireError('connect_timeout', `timed out connecting to ${url.host}`);
}

/** The code of a system error, or else the message of the error: the codes of undici say less than its messages. */
export function connectReason(error: Error): string {
  const code = errorCode(error) || 'UND_ERR';
  if (!code.startsWith('UND_ERR')) return code;
  return error.message === 'other side closed' ? 'closed by the other side' : error.message;
}

/** Host without the brackets of an IPv6 address. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}
