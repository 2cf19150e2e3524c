import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { response, serve } from '../helpers/raw-server.ts';
import { clientFor } from './support.ts';

/** More than the buffers of a connection hold, so that most of it is still unsent when the response comes. */
const largeBody = JSON.stringify({ contentMd: 'x'.repeat(8_000_000) });
const post = { method: 'POST', path: '/v1/x', body: largeBody } as const;

/** Responds to the first bytes of a request, and closes the connection with the rest unread: a reset. */
const answerAtOnce = (bytes: string) => (socket: Socket) => {
  socket.once('data', () => {
    socket.pause();
    socket.write(bytes, () => socket.destroy());
  });
};

test.each([
  [413, 'rejected', 1],
  [401, 'rejected', 1],
  [422, 'rejected', 1],
  [429, 'rejected', 4],
  [503, 'unknown', 1],
] as const)('a %i that comes before the request is sent counts', async (status, kind, attempts) => {
  await using server = await serve(answerAtOnce(response(status, { code: 'x', message: 'no' })));
  await using client = clientFor(server.url);

  const outcome = await client.send({ ...post, class: 'one-shot' }, {});

  expect(outcome).toMatchObject({ kind, status, attempts, problem: { code: 'x' } });
});

test('a success that comes before the request is sent counts', async () => {
  await using server = await serve(answerAtOnce(response(201, { id: 'p1' })));
  await using client = clientFor(server.url);

  expect(await client.send({ ...post, class: 'one-shot' }, {})).toMatchObject({
    kind: 'applied',
    body: { id: 'p1' },
  });
});

test('of a refusal that is cut short, the status counts', async () => {
  const cut = 'HTTP/1.1 413 Too Large\r\ncontent-length: 500\r\n\r\n{"code":';
  await using server = await serve(answerAtOnce(cut));
  await using client = clientFor(server.url);

  expect(await client.send({ ...post, class: 'one-shot' }, {})).toMatchObject({
    kind: 'rejected',
    status: 413,
  });
});

test('a reset without a response leaves a doubt', async () => {
  await using server = await serve((socket) => {
    socket.once('data', () => socket.resetAndDestroy());
  });
  await using client = clientFor(server.url);

  expect(await client.send({ ...post, class: 'one-shot' }, {})).toMatchObject({
    kind: 'unknown',
    status: null,
    failure: { code: 'connection_lost' },
  });
});

test('a connection that has not sent its request yet takes no other', async () => {
  await using server = await serve((socket, number) => {
    socket.once('data', () => {
      if (number === 1) socket.pause();
      socket.write(response(number === 1 ? 413 : 200, {}));
    });
  });
  await using client = clientFor(server.url);
  await client.send({ ...post, class: 'one-shot' }, {});

  const next = await client.send({ method: 'GET', path: '/v1/x', body: null, class: 'read' }, {});

  expect(next).toMatchObject({ kind: 'applied', attempts: 1 });
  expect(server.sockets).toHaveLength(2);
});
