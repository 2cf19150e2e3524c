import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that calls `onConnection` for each connection, counted from 1. */
export async function serve(onConnection: (socket: Socket, number: number) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onConnection(socket, sockets.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The bytes of a response with a JSON body. */
export function response(status: number, body: unknown): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** Answers each request with what `answer` makes of its path. */
export function answerEach(socket: Socket, answer: (path: string) => string): void {
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    for (;;) {
      const [head = ''] = received.split('\r\n\r\n', 1);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (head === received || received.length < head.length + 4 + length) return;
      received = received.slice(head.length + 4 + length);
      socket.write(answer(head.split(' ')[1] ?? ''));
    }
  });
}
