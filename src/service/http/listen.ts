import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ServiceError } from '../model/errors.ts';
import type { App } from './app.ts';
import { drain, watchConnections } from './connections.ts';
import { type HttpRequest, incompleteBody, tooLarge } from './http-message.ts';

/** How long running requests may take after a stop. */
const graceMs = 10_000;

export interface Listening {
  /** Such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Stops accepting, lets what is running finish for up to 10 s, then cuts it off. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Gets one record per request that does not reach the app. */
  readonly log?: (line: object) => void;
  /** How long a request may take to arrive. Default: that of Node. */
  readonly receiveMs?: number;
}

/** Serves the app over HTTP. Rejects with an error whose `code` is such as EADDRINUSE. */
export async function listen(
  app: App,
  { host, port, log = () => {}, receiveMs }: ListenOptions,
): Promise<Listening> {
  const limits = receiveMs !== undefined && {
    headersTimeout: receiveMs,
    requestTimeout: receiveMs,
    connectionsCheckingInterval: receiveMs,
  };
  const server = createServer({ ...limits, requireHostHeader: false }, (incoming, outgoing) => {
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1') {
      const refusal = new ServiceError('malformed_request', 'The Host header is missing.');
      connections.answerWith(incoming, outgoing, refusal);
    } else answer(app, incoming, outgoing).catch(() => outgoing.destroy());
  });
  const connections = watchConnections(server, log);
  let closing: Promise<void> | undefined;

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

  return {
    origin: originOf(server, host),
    close() {
      closing ??= new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        connections.close();
      });
      return closing;
    },
  };
}

async function answer(app: App, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request: HttpRequest = {
    method: incoming.method ?? '',
    path: pathOf(incoming.url ?? ''),
    header: (name) => incoming.headers[name]?.toString(),
    readBody: (maxBytes) => readBody(incoming, maxBytes),
  };
  const { status, headers, body } = await app(request);
  // Node writes an ASCII text faster as latin1.
  const isAscii = Number(headers['Content-Length']) === body?.length;
  outgoing.writeHead(status, headers).end(body, isAscii ? 'latin1' : 'utf8');
  if (!incoming.complete) drain(incoming);
}

/** Removes the query. The request target may be a whole URL. */
function pathOf(target: string): string {
  const path = target.startsWith('/') || !URL.canParse(target) ? target : new URL(target).pathname;
  const end = path.indexOf('?');
  return end === -1 ? path : path.slice(0, end);
}

/** See {@link HttpRequest.readBody}. */
function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (Number(incoming.headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
    const chunks: Uint8Array[] = [];
    let length = 0;
    const onData = (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else {
        incoming.off('data', onData);
        reject(tooLarge(maxBytes));
      }
    };
    incoming.on('data', onData);
    incoming.on('end', () => resolve(Buffer.concat(chunks, Math.min(length, maxBytes))));
    incoming.on('close', () => {
      if (!incoming.complete) reject(incompleteBody());
    });
    incoming.on('error', (error) => reject(error instanceof ServiceError ? error : incompleteBody()));
  });
}

function originOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
