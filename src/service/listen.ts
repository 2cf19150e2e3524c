import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { App } from './app.ts';

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
  const server = createAdaptorServer({ fetch: app }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

  let closing: Promise<void> | undefined;
  // A kept-alive connection would hold the server open once its last request is answered.
  server.on('request', (_, response) => {
    response.once('close', () => {
      if (closing !== undefined) server.closeIdleConnections();
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
        server.closeIdleConnections();
      });
      return closing;
    },
  };
}

function originOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
