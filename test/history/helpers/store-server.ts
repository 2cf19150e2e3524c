import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly ifMatch: string | undefined;
}

/** What to do with the request of this number, from 1, once it has taken effect. */
export type Reaction =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  /** An answer that need not be JSON. */
  | { readonly status: number; readonly text: string }
  | 'drop'
  /** As a service that keeps what it gets does. */
  | 'answer';

export interface StoreServer {
  readonly url: string;
  readonly received: readonly Received[];
  /** Ids of what was made: one for each idempotency key, and one for each request without. */
  readonly effects: readonly string[];
  /** Forgets what was received. */
  clear(): void;
  close(): Promise<void>;
}

/** A service that makes a thing for every new idempotency key, and then reacts as the test says. */
export async function startStoreServer(
  react: (request: Received, number: number) => Reaction | Promise<Reaction> = () => 'answer',
): Promise<StoreServer> {
  const received: Received[] = [];
  const effects: string[] = [];
  const byKey = new Map<string, string>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url: path = '', headers } = request;
    const seen: Received = { method, path, body, ifMatch: headers['if-match'] };
    received.push(seen);
    const reaction = await react(seen, received.length);
    if (typeof reaction === 'object') {
      const isText = 'text' in reaction;
      const headers = isText ? {} : { 'content-type': 'application/json', ...reaction.headers };
      response.writeHead(reaction.status, headers);
      response.end(isText ? reaction.text : JSON.stringify(reaction.body));
      return;
    }
    const { idempotencyKey: key, ...fields } = method === 'GET' ? {} : JSON.parse(body);
    const known = typeof key === 'string' ? byKey.get(key) : undefined;
    const id = known ?? `made-${effects.length + 1}`;
    if (known === undefined) {
      effects.push(id);
      if (typeof key === 'string') byKey.set(key, id);
    }
    if (reaction === 'drop') {
      request.socket.destroy();
      return;
    }
    response.writeHead(201, { 'content-type': 'application/json', 'x-request-id': `req-${received.length}` });
    response.end(JSON.stringify({ ...fields, id }));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    effects,
    clear: () => void received.splice(0),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
