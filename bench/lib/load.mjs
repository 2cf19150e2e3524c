// Sends one request after the other on each of several connections, in its own process: a server and its clients
// must not share an event loop. Prints the number of answers per second.
// Plain sockets, because a complete HTTP client needs more time for a request than a bare server.
import { once } from 'node:events';
import { connect } from 'node:net';

const { origin, method, targets, body, connections, warmUpMs, forMs } = JSON.parse(process.argv[2]);
const { hostname, port, host } = new URL(origin);
const heads = targets.map(({ path, headers }) => [
  `${method} ${path} HTTP/1.1`,
  `host: ${host}`,
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
]);
const run = Math.random().toString(36).slice(2);
let sent = 0;
let answered = 0;

/** `{unique}` in the body is replaced by a text that no other request has. */
function nextRequest(head) {
  sent += 1;
  const text = body?.replace('{unique}', `${run}-${sent}`) ?? null;
  const length = text === null ? [] : [`content-length: ${Buffer.byteLength(text)}`];
  return `${[...head, ...length].join('\r\n')}\r\n\r\n${text ?? ''}`;
}

async function startClient(head) {
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.latin1Slice();
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(received) ?? [];
    if (!/^HTTP\/1\.1 20\d /.test(received) || length === undefined) throw new Error(received);
    if (received.length < end + 4 + Number(length)) return;
    received = '';
    answered += 1;
    socket.write(nextRequest(head));
  });
  socket.on('error', () => {});
  socket.write(nextRequest(head));
}

for (let number = 0; number < connections; number += 1) await startClient(heads[number % heads.length]);
setTimeout(() => {
  const [from, start] = [answered, performance.now()];
  setTimeout(() => {
    console.log((answered - from) / ((performance.now() - start) / 1000));
    process.exit();
  }, forMs);
}, warmUpMs);
