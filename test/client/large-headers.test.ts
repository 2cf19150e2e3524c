import { expect, test } from 'vitest';
import { serve } from '../helpers/raw-server.ts';
import { clientFor } from './support.ts';

const kib = 1024;

/** A response with so many cookies, each as long as browsers allow. */
function withCookies(status: number, bytes: number, body = '{"id":"b1"}'): string {
  const cookie = `set-cookie: a=${'x'.repeat(4 * kib - 16)}\r\n`;
  const head = `HTTP/1.1 ${status} X\r\nx-request-id: r-1\r\n`;
  return `${head}${cookie.repeat(Math.ceil(bytes / cookie.length))}content-length: ${body.length}\r\n\r\n${body}`;
}

async function sendTo(bytes: string, operationClass: 'keyed' | 'one-shot' = 'keyed') {
  await using server = await serve((socket) => {
    socket.on('data', () => socket.write(bytes));
  });
  await using client = clientFor(server.url);
  const request = { method: 'POST', path: '/v1/x', body: '{}', class: operationClass } as const;
  return { outcome: await client.send(request, {}), connections: server.sockets.length };
}

test('up to 64 KiB of headers are read', async () => {
  const { outcome } = await sendTo(withCookies(201, 60 * kib));

  expect(outcome).toMatchObject({ kind: 'applied', attempts: 1, requestId: 'r-1', drift: [] });
});

test.each([70, 200])('of %i KiB of headers, the longest are left out, and that is said', async (size) => {
  const { outcome } = await sendTo(withCookies(201, size * kib));

  expect(outcome).toMatchObject({ kind: 'applied', attempts: 1, requestId: 'r-1', body: { id: 'b1' } });
  expect(outcome).toHaveProperty('drift', ['more than 64 KiB of headers; the longest were left out']);
});

test('a refusal with too many headers is a refusal', async () => {
  const { outcome } = await sendTo(withCookies(422, 100 * kib, '{"code":"bad","message":"no"}'));

  expect(outcome).toMatchObject({ kind: 'rejected', status: 422, problem: { code: 'bad' } });
});

test.each([
  ['an unreadable success', 201, 'unknown'],
  ['a refusal', 403, 'rejected'],
] as const)('headers without an end: %s, and the message says what it is', async (_, status, kind) => {
  const { outcome, connections } = await sendTo(withCookies(status, 2000 * kib), 'one-shot');

  expect(outcome).toMatchObject({ kind, status, attempts: 1 });
  expect(connections).toBe(1);
  if (kind === 'unknown')
    expect(outcome).toHaveProperty('failure.message', expect.stringContaining('more than 64 KiB of headers'));
});

test('short headers are never left out', async () => {
  const many = `x-a: ${'b'.repeat(60)}\r\n`.repeat(2 * kib);
  const { outcome } = await sendTo(`HTTP/1.1 201 X\r\n${many}content-length: 2\r\n\r\n{}`, 'one-shot');

  expect(outcome).toMatchObject({ kind: 'unknown', status: 201, failure: { code: 'headers_too_large' } });
});
