import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes connections on to a server, as a proxy does, until it is silent: it accepts, and nothing comes through. */
export async function startForwarder(to: number) {
  let target = to;
  let isSilent = false;
  let takesNew = true;
  const sockets = new Set<Socket>();
  const front = createServer((client) => {
    sockets.add(client);
    if (!takesNew) return;
    const server = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('data', (chunk) => void (isSilent || other.write(chunk)));
      socket.on('close', () => void (isSilent || other.destroy()));
      socket.on('error', () => {});
    }
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    port: (front.address() as AddressInfo).port,
    /** Connections from now on lead to that port. */
    goTo(port: number) {
      target = port;
    },
    setSilent(value: boolean) {
      isSilent = value;
    },
    /** Connections from now on are accepted, and nothing comes through. */
    silenceNewConnections() {
      takesNew = false;
    },
    stop() {
      front.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
