import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createAdaptorServer, type Http2Bindings, type HttpBindings } from '@hono/node-server';
import type { App, BodySource } from './app.ts';

/** How long requests that are running may go on once the server is told to stop. */
const graceMs = 10_000;

export interface Listening {
  /** Such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Stops accepting, lets what is running finish for up to 10 s, then cuts it off. */
  close(): Promise<void>;
}

/** Serves the app over HTTP. Port 0 takes any free one. Rejects with an error whose `code` is such as EADDRINUSE. */
export async function listen(
  app: App,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: (request, { incoming }) => app(request, bodyOf(incoming)),
  }) as Server;
  let closing: Promise<void> | undefined;
  // The server's own list of idle connections lacks those on which nothing was ever asked.
  const idle = new Set<Socket>();
  server.on('connection', (socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => {
      if (closing !== undefined) socket.end();
      else if (!socket.destroyed) idle.add(socket);
    });
  });

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
        for (const socket of idle) socket.destroy();
      });
      return closing;
    },
  };
}

/** Reading no further leaves the connection open: there is an answer to be sent on it. */
function bodyOf(incoming: HttpBindings['incoming'] | Http2Bindings['incoming']): BodySource {
  return { [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false }) };
}

function originOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
