import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import type { LookupFunction } from 'node:net';
import { asObject, parseJson } from '../../base/json.ts';
import { isLoopbackAddress } from '../../base/loopback.ts';
import { errorCode } from '../../base/system-error.ts';
import { parseDiscordUrl } from '../model/discord-url.ts';
import { guardedLookup, isPublicAddress, type Resolve } from './address-guard.ts';

const defaultTimeouts: Timeouts = { connect: 8_000, total: 15_000 };
const maxBodyBytes = 64 * 1024;

/** Result of one attempt. No text in it contains the URL. */
export type SendResult =
  /** Nothing was sent, and no later attempt will be allowed either. */
  | { readonly refused: string }
  /** No complete response. The message may have arrived anyway. */
  | { readonly failure: string }
  | {
      readonly status: number;
      readonly retryAfterMs: number | null;
      /** Of a 429: it is about everything that this machine sends, not about this webhook. */
      readonly isGlobal: boolean;
    };

/** Posts one message to a webhook, as a part of a trace if there is one. Never rejects. */
export type Send = (
  webhookUrl: string,
  message: object,
  signal: AbortSignal,
  traceparent?: string | null,
) => Promise<SendResult>;

export interface SenderOptions {
  /** A receiver on this machine that gets everything instead of Discord, from {@link parseSink}. */
  readonly sink?: URL | undefined;
  /** Resolves names. Default: as the system does. */
  readonly resolve?: Resolve;
  readonly timeouts?: Timeouts;
}

/** In milliseconds. */
interface Timeouts {
  readonly connect: number;
  /** From the start to the end of what is read of the response. */
  readonly total: number;
}

/**
 * Sends to Discord webhooks only: TLS, port 443, host names of Discord, public addresses, no redirects, 8 s to connect
 * and 15 s in total.
 */
export function createSender({ sink, resolve, timeouts = defaultTimeouts }: SenderOptions = {}): Send {
  const lookup = guardedLookup(sink ? isLoopbackAddress : isPublicAddress, resolve);
  return async (webhookUrl, message, signal, traceparent) => {
    const webhook = parseDiscordUrl(webhookUrl);
    if (webhook === null) return { refused: 'the URL is not a Discord webhook' };
    const target = sink ? new URL(webhook.pathname.slice(1), sink) : webhook;
    target.search = '?wait=true';
    return post({ target, lookup, signal, timeouts, traceparent, body: JSON.stringify(message) });
  };
}

/** The URL of a receiver on this machine, such as `http://127.0.0.1:8000/`, or null if it is not one. */
export function parseSink(value: string): URL | null {
  if (!URL.canParse(value)) return null;
  const url = new URL(value);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLocal = host === 'localhost' || isLoopbackAddress(host);
  if (url.protocol !== 'http:' || !isLocal || url.username !== '' || url.search !== '' || url.hash !== '') {
    return null;
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

interface Post {
  readonly target: URL;
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  readonly timeouts: Timeouts;
  readonly traceparent: string | null | undefined;
  readonly body: string;
}

async function post({ target, lookup, signal, timeouts, traceparent, body }: Post): Promise<SendResult> {
  const isSecure = target.protocol === 'https:';
  // TLS is loaded on demand: the demo and commands that only list deliveries do not need it.
  const request = isSecure ? (await import('node:https')).request : requestHttp;
  const outgoing = request(target, {
    method: 'POST',
    // A new connection, so that its address is checked for this message.
    agent: false,
    lookup,
    ...(isSecure && { rejectUnauthorized: true }),
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': 'storectl-service',
      ...(traceparent && { traceparent }),
    },
  });
  outgoing.on('error', () => {});
  const giveUp = (code: string) => outgoing.destroy(Object.assign(new Error(code), { code }));
  const connecting = setTimeout(giveUp, timeouts.connect, 'ECONNECTTIMEOUT');
  const waiting = setTimeout(giveUp, timeouts.total, 'ETOTALTIMEOUT');
  const stop = () => giveUp('ESTOPPED');
  signal.addEventListener('abort', stop, { once: true });
  outgoing.once('socket', (socket) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
  });
  try {
    if (signal.aborted) stop();
    outgoing.end(body);
    return await readResponse(outgoing);
  } catch (error) {
    return { failure: describeFailure(error) };
  } finally {
    clearTimeout(connecting);
    clearTimeout(waiting);
    signal.removeEventListener('abort', stop);
    outgoing.destroy();
  }
}

/** Reads the body of a 429 only. */
async function readResponse(outgoing: ClientRequest): Promise<SendResult> {
  const response = await headOf(outgoing);
  const status = response.statusCode ?? 0;
  if (status !== 429) return { status, retryAfterMs: null, isGlobal: false };
  const { retry_after, global } = asObject(parseJson(await readBody(response).catch(() => '')));
  const pauseMs = typeof retry_after === 'number' ? retry_after * 1000 : null;
  const { headers } = response;
  const isGlobal = global === true || headers['x-ratelimit-global'] === 'true';
  return { status, retryAfterMs: longerPause(headers['retry-after'], pauseMs), isGlobal };
}

/** Node closes the connection on a 101 response without a response or error event. */
function headOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
    outgoing.once('close', () =>
      reject(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' })),
    );
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > maxBodyBytes) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The longer of the header (RFC 9110: seconds or a date; Discord also sends decimals) and what the body says, in ms. */
function longerPause(header: string | undefined, inBody: number | null): number | null {
  const inHeader =
    header && (/^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now());
  const pauses = [inHeader, inBody].filter((pause) => typeof pause === 'number' && pause >= 0);
  return pauses.length === 0 ? null : Math.ceil(Math.max(...pauses.map(Number)));
}

const failures: Readonly<Record<string, string>> = {
  ECONNECTTIMEOUT: 'timeout while connecting',
  ETOTALTIMEOUT: 'timed out waiting for the response',
  ESTOPPED: 'the service was stopped before the response',
  EFORBIDDEN: 'the host name resolves to an address that is not public',
  ENOTFOUND: 'the host name could not be resolved',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
};

/** By code, because messages of the system may contain addresses. */
function describeFailure(error: unknown): string {
  const code = errorCode(error) || 'unknown';
  return failures[code] ?? `no response (${code})`;
}
