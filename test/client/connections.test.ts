import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { answer, type FaultServer, startFaultServer } from '../helpers/fault-server.ts';
import { answerEach, response, serve } from '../helpers/raw-server.ts';
import { clientFor } from './support.ts';

const read = { method: 'GET', path: '/v1/x', body: null, class: 'read' } as const;
const writes = (['repeatable', 'keyed', 'one-shot'] as const).map((operationClass) => ({
  method: 'POST',
  path: '/v1/x',
  body: '{}',
  class: operationClass,
}));

test.each(writes)('a $class write gets a new connection, also after a read', async (write) => {
  await using scene = await serve((socket) => answerEach(socket, () => response(200, {})));
  await using client = clientFor(scene.url);

  await client.send(read, {});
  await client.send(read, {});
  expect(scene.sockets).toHaveLength(1);
  await client.send(write, {});
  expect(scene.sockets).toHaveLength(2);
  await client.send(write, {});
  expect(scene.sockets).toHaveLength(3);
});

test.each(writes)('$class writes of a batch share the connection that has just answered', async (write) => {
  await using scene = await serve((socket) => answerEach(socket, () => response(200, {})));
  await using client = clientFor(scene.url);

  await client.send(write, { inBatch: true });
  await client.send(write, { inBatch: true });

  expect(scene.sockets).toHaveLength(1);
});

test('a read that proves something gets a new connection', async () => {
  await using scene = await serve((socket) => answerEach(socket, () => response(200, {})));
  await using client = clientFor(scene.url);

  await client.send(read, {});
  await client.send(read, { ownConnection: true });

  expect(scene.sockets).toHaveLength(2);
});

test('a connection is opened while the caller writes its record', async () => {
  await using scene = await serve((socket) => answerEach(socket, () => response(200, {})));
  await using client = clientFor(scene.url);
  const connected = once(scene.server, 'connection');

  const outcome = await client.send(
    { ...read, class: 'one-shot' },
    { beforeAttempt: async () => void (await connected) },
  );

  expect(outcome).toMatchObject({ kind: 'applied', attempts: 1 });
  expect(scene.sockets).toHaveLength(1);
});

test('a connection that was opened ahead is for the next write, not for a read', async () => {
  await using scene = await serve((socket) => answerEach(socket, () => response(200, {})));
  await using client = clientFor(scene.url);

  client.connect();
  client.connect();
  await once(scene.server, 'connection');
  await client.send(read, {});
  expect(scene.sockets).toHaveLength(2);
  await client.send({ ...read, class: 'one-shot' }, {});

  expect(scene.sockets).toHaveLength(2);
});

test('a connection that was opened ahead and not used is closed', async () => {
  await using scene = await serve(() => {});
  await using client = clientFor(scene.url);

  client.connect();
  const [socket] = await once(scene.server, 'connection');
  socket.resume();

  await once(socket, 'close');
});

test('closing the client closes a connection that was opened ahead', async () => {
  await using scene = await serve(() => {});
  const client = clientFor(scene.url);
  client.connect();
  const [socket] = await once(scene.server, 'connection');
  socket.resume();
  const closed = once(socket, 'close');

  await client.close();
  client.connect();

  await closed;
  expect(scene.sockets).toHaveLength(1);
});

test.each([
  ['closes', (socket: Socket) => socket.end()],
  ['answers on, without a request', (socket: Socket) => socket.write(response(200, { early: true }))],
])('a connection opened ahead that the service %s is not used', async (_what, spoil) => {
  await using scene = await serve((socket, number) => {
    if (number === 1) spoil(socket);
    else answerEach(socket, () => response(200, { early: false }));
  });
  await using client = clientFor(scene.url);
  client.connect();
  await once(scene.server, 'connection');
  // Its response comes after what the first connection received.
  await client.send(read, {});

  const outcome = await client.send({ ...read, class: 'one-shot' }, {});

  expect(outcome).toMatchObject({ kind: 'applied', attempts: 1, body: { early: false } });
  expect(scene.sockets).toHaveLength(3);
});

test('a connection that could not be opened ahead costs no attempt', async () => {
  const gone = await startFaultServer([]);
  await gone.close();
  await using client = clientFor(gone.url);
  let server: FaultServer | undefined;

  client.connect();
  const outcome = await client.send(
    { ...read, class: 'one-shot' },
    {
      beforeAttempt: async () => {
        server ??= await startFaultServer([answer(200, {})], { port: gone.port });
        // By then the refusal has come, too.
        await once(connect(gone.port, '127.0.0.1'), 'connect');
      },
    },
  );
  await server?.close();

  expect(outcome).toMatchObject({ kind: 'applied', attempts: 1 });
});

test('that a port may require https:// is only said where nothing has answered yet', async () => {
  await using scene = await serve((socket, number) => {
    if (number === 2) answerEach(socket, () => response(200, {}));
    else socket.once('data', () => socket.destroy());
  });
  await using client = clientFor(scene.url);
  const write = { ...read, class: 'one-shot' } as const;

  const before = await client.send(write, {});
  await client.send(write, {});
  const after = await client.send(write, {});

  expect(before).toMatchObject({ failure: { message: expect.stringContaining('may require https://') } });
  expect(after).toMatchObject({ failure: { message: expect.not.stringContaining('may require https://') } });
});
