import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ConnectProxy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `host:port` of every tunnel that was asked for. */
  readonly tunnels: readonly string[];
  /** `Proxy-Authorization` of every one, or null. */
  readonly authorizations: readonly (string | null)[];
}

/**
 * An HTTP proxy on loopback that opens tunnels (CONNECT) to the names it knows, each a port of this machine. Any other name
 * gets the refusal.
 */
export async function startConnectProxy(
  names: Readonly<Record<string, number>>,
  refusal = 'HTTP/1.1 502 Bad Gateway\r\n\r\n',
): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const authorizations: (string | null)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, client: Socket) => {
    tunnels.push(request.url ?? '');
    authorizations.push(request.headers['proxy-authorization'] ?? null);
    client.on('error', () => {});
    const port = names[(request.url ?? '').replace(/:\d+$/, '')];
    if (port === undefined) return client.end(refusal);
    const service = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      service.pipe(client);
      client.pipe(service);
    });
    sockets.add(service);
    service.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, tunnels, authorizations };
}
