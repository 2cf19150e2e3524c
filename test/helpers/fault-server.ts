import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Operation } from '../../src/contract/operation.ts';
import { operations, servedOperations } from '../../src/contract/operations/operations.ts';

/** What the server does with one request. */
export type Behaviour =
  /** Answers. An object as `body` is sent as JSON. */
  | {
      readonly does: 'answer';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Resets the connection as soon as the request's head has arrived. */
  | { readonly does: 'reset' }
  /** Reads the whole request, then closes the connection. */
  | { readonly does: 'drop' }
  /** Announces a JSON body of twice the length, sends this half of it, then closes the connection. */
  | {
      readonly does: 'half';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** Reads the whole request and never answers. */
  | { readonly does: 'hang' }
  /** Waits for the promise, then does the next thing. */
  | { readonly does: 'wait'; readonly until: Promise<unknown>; readonly next: Behaviour }
  /** Whatever is in these bytes, written to the connection as they are; it is then closed. */
  | { readonly does: 'raw'; readonly bytes: string | Buffer }
  /** The same, and the connection stays open without another byte. */
  | { readonly does: 'stall'; readonly bytes: string | Buffer };

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingMessage['headers'];
  /** Every name as it was sent, with repetitions. */
  readonly headerNames: readonly string[];
  readonly body: string;
  /** Epoch milliseconds at which the request's head was there. */
  readonly at: number;
}

export interface FaultServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  /** Requests in order of arrival, recorded when their behaviour begins. */
  readonly requests: readonly ReceivedRequest[];
  /** Connections that were accepted so far. */
  readonly connections: number;
  /** Resolves when `count` requests are recorded. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export const answer = (
  status: number,
  body: unknown = '',
  headers: Readonly<Record<string, string>> = {},
): Behaviour => ({ does: 'answer', status, body, headers });

const pathsOf = (some: readonly Pick<Operation, 'path'>[]) =>
  some.map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`));

const contractReads = pathsOf(operations.filter((operation) => operation.class === 'read'));
const allPaths = pathsOf(servedOperations);

/** Whether this reads what the contract cannot read. */
function isBeyondContract({ method, url = '' }: IncomingMessage): boolean {
  const [path = ''] = url.split('?');
  const isIn = (paths: readonly RegExp[]) => paths.some((one) => one.test(path));
  return method === 'GET' && isIn(allPaths) && !isIn(contractReads);
}

/**
 * A server on a free loopback port, or the wanted one. The first request meets the first behaviour of the script, the second one the
 * second, and so on; the last behaviour stays. Unless the script is about the reads beyond the contract, too, they are a 404 and no
 * part of it. `await using` closes it.
 */
export async function startFaultServer(
  script: readonly Behaviour[],
  { port: wantedPort = 0, hasReads = false }: { readonly port?: number; readonly hasReads?: boolean } = {},
): Promise<FaultServer & AsyncDisposable> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting: { count: number; resolve: () => void }[] = [];
  let connections = 0;
  let begun = 0;

  const server = createServer((request, response) => {
    if (!hasReads && isBeyondContract(request)) {
      response.writeHead(404).end();
      return;
    }
    const behaviour = script[Math.min(begun, script.length - 1)] ?? answer(200, {});
    begun += 1;
    const at = Date.now();
    const record = (body: string) => {
      requests.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        headerNames: request.rawHeaders.filter((_, index) => index % 2 === 0),
        body,
        at,
      });
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    };
    if (behaviour.does === 'reset') {
      record('');
      request.socket.resetAndDestroy();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      record(Buffer.concat(chunks).toString());
      void act(behaviour, response);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function act(behaviour: Behaviour, response: ServerResponse): Promise<void> {
  const socket = response.socket;
  switch (behaviour.does) {
    case 'wait':
      await behaviour.until;
      return act(behaviour.next, response);
    case 'answer': {
      const { status = 200, headers = {}, body = '' } = behaviour;
      const isText = typeof body === 'string' || Buffer.isBuffer(body);
      response.writeHead(status, isText ? headers : { 'content-type': 'application/json', ...headers });
      response.end(isText ? body : JSON.stringify(body));
      return;
    }
    case 'half': {
      const { status = 200, headers = {}, body } = behaviour;
      const length = 2 * Buffer.byteLength(body);
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': length,
        ...headers,
      });
      response.write(body, () => socket?.destroy());
      return;
    }
    case 'raw':
      socket?.end(behaviour.bytes);
      return;
    case 'stall':
      socket?.write(behaviour.bytes);
      return;
    case 'drop':
    case 'reset':
      socket?.destroy();
      return;
    case 'hang':
      return;
  }
}
