import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type App, listen } from '../../src/service/index.ts';
import { startService } from './helpers/service.ts';

/** An app whose answer waits until the test lets it go. */
function waitingApp() {
  let arrive = () => {};
  let release = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const app: App = async () => {
    arrive();
    await released;
    return new Response('done');
  };
  return { app, arrived, release };
}

async function get(url: string, agent?: Agent): Promise<IncomingMessage> {
  const [response] = await once(request(url, { agent }).end(), 'response');
  return response;
}

test('the service answers over HTTP on a free port', async () => {
  const service = await startService();
  const server = await listen(service.app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  expect(server.origin).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);

  const outgoing = request(`${server.origin}/v1/stores/${service.storeId}/blog/posts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
  });
  outgoing.end(JSON.stringify({ title: 'Over HTTP 😀', contentMd: 'x' }));
  const [response] = await once(outgoing, 'response');
  expect(response.statusCode).toBe(201);
  expect(response.headers['content-type']).toBe('application/json');
  expect(JSON.parse(await text(response))).toMatchObject({ title: 'Over HTTP 😀' });
});

test('a body that is too long is refused while it is still coming', async () => {
  const service = await startService();
  const server = await listen(service.app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const outgoing = request(`${server.origin}/v1/stores/${service.storeId}/blog/posts`, { method: 'POST' });
  outgoing.on('error', () => {});
  outgoing.write('x'.repeat(1024 * 1024 + 1));
  const [response] = await once(outgoing, 'response');
  expect(response.statusCode).toBe(413);
  outgoing.destroy();
});

test('a client that goes away in the middle of its body changes nothing', async () => {
  const lines: object[] = [];
  let logged = () => {};
  const line = new Promise<void>((resolve) => {
    logged = resolve;
  });
  const service = await startService({
    log: (entry) => {
      lines.push(entry);
      logged();
    },
  });
  const server = await listen(service.app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  const body = '{"title":"Half","contentMd":"x"}';
  socket.write(
    `POST /v1/stores/${service.storeId}/blog/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length + 10}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
  await line;
  expect(lines).toMatchObject([{ status: 400 }]);
  const posts = await service.storage.read((db) => db.selectFrom('posts').selectAll().execute());
  expect(posts).toEqual([]);
});

test('a taken port is an error with its code', async () => {
  const app: App = async () => new Response('x');
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const port = Number(new URL(server.origin).port);
  await expect(listen(app, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await expect(listen(app, { host: '203.0.113.7', port: 0 })).rejects.toMatchObject({
    code: 'EADDRNOTAVAIL',
  });
});

test('closing lets a running request finish, and takes no new one', async () => {
  const { app, arrived, release } = waitingApp();
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const running = get(server.origin, agent);
  await arrived;

  let isClosed = false;
  const closed = server.close().then(() => {
    isClosed = true;
  });
  await expect(get(server.origin)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(isClosed).toBe(false);
  release();
  expect(await text(await running)).toBe('done');
  await closed;
  await server.close();
});

test('closing does not wait for idle connections', async () => {
  const server = await listen(async () => new Response('x'), { host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  expect(await text(await get(server.origin, agent))).toBe('x');
  const silent = connect(Number(new URL(server.origin).port), '127.0.0.1');
  await once(silent, 'connect');
  await server.close();
  silent.destroy();
}, 5_000);
