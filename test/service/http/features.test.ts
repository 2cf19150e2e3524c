import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createKey } from '../../../src/service/index.ts';
import { openService, serve } from '../helpers/service.ts';

const header = { 'idempotency-key': 'k' };

test('each answer says that the service has reads, and keys if the key of the request arrived', async () => {
  const service = await openService();
  const store = `/v1/stores/${service.storeId}`;
  const requests: readonly [method: string, path: string, body?: unknown][] = [
    ['GET', `${store}/operations/settings`],
    ['HEAD', `${store}/operations/settings`],
    ['PATCH', store, { name: 'A' }],
    ['PATCH', store, { nope: 1 }],
    ['DELETE', store],
    ['OPTIONS', store],
    ['GET', '/v1/stores/other/operations/settings'],
    ['GET', '/nowhere'],
    ['GET', '/healthz'],
  ];
  for (const [method, path, body] of requests) {
    const without = await service.send(method, path, body);
    const withKey = await service.send(method, path, body, { headers: header });
    const unauthorized = await service.send(method, path, body, {
      headers: { ...header, authorization: '' },
    });

    expect(without.headers.get('service-features'), `${method} ${path}`).toBe('reads');
    expect(withKey.headers.get('service-features')).toBe('reads, keys');
    expect(unauthorized.headers.get('service-features')).toBe('reads, keys');
  }
});

test('an answer to a valid key says its scopes and its limit, a refusal too; others do not', async () => {
  const service = await openService({ rateLimit: { perSecond: 10, burst: 20 } });
  const { key } = await createKey(service.storage, {
    storeId: service.storeId,
    scopes: ['settings:read', 'store:write'],
  });
  const headers = { authorization: `Bearer ${key}` };
  const path = `/v1/stores/${service.storeId}/operations/settings`;
  const answers = [
    await service.send('GET', path, undefined, { headers }),
    await service.send('PUT', path, {}, { headers }),
    await service.send('GET', '/v1/stores/other/operations/settings', undefined, { headers }),
  ];
  for (let count = 0; count < 18; count++)
    answers.push(await service.send('GET', path, undefined, { headers }));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403, 404, 429]));
  for (const answer of answers) {
    expect(answer.headers.get('service-scopes')).toBe('settings:read, store:write');
    expect(answer.headers.get('ratelimit-policy')).toBe('"default";q=20;w=2');
  }
  const unknown = await service.send('GET', path, undefined, { headers: { authorization: '' } });
  expect(unknown.headers.has('service-scopes')).toBe(false);
  expect(unknown.headers.has('ratelimit-policy')).toBe(false);
});

test('without a limit there is no policy', async () => {
  const service = await openService();
  const answer = await service.call('settings.show', '');

  expect(answer.headers.has('ratelimit-policy')).toBe(false);
});

test('a window is never shorter than the limit allows', async () => {
  for (const [rateLimit, policy] of [
    [{ perSecond: 3, burst: 20 }, '"default";q=20;w=7'],
    [{ perSecond: 0.5, burst: 2 }, '"default";q=2;w=4'],
    [{ perSecond: 50, burst: 5 }, '"default";q=5;w=1'],
  ] as const) {
    const service = await openService({ rateLimit });
    const answer = await service.call('settings.show', '');
    expect(answer.headers.get('ratelimit-policy')).toBe(policy);
  }
});

test('what is not HTTP is answered so, too', async () => {
  const service = await openService();
  const server = await serve(service.app);
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  socket.end('nonsense\r\n\r\n');

  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('Service-Features: reads\r\n');
});
