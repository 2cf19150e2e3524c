import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeService } from '../../../src/service/http/operation-handlers.ts';
import { parseJsonObject } from '../../../src/service/http/request/json-body.ts';
import { createApp, createKey } from '../../../src/service/index.ts';
import { openService, toFetch } from '../helpers/service.ts';

const post = { title: 'A', contentMd: 'x' };

test('a request with several faults is refused for the first one only', async () => {
  const service = await openService({ rateLimit: { perSecond: 1, burst: 1 } });
  const { key } = await createKey(service.storage, { storeId: service.storeId, scopes: [] });
  const allowed = await createKey(service.storage, { storeId: service.storeId, scopes: ['disputes:write'] });
  const path = `/v1/stores/${service.storeId}/operations/disputes`;
  const foreignPath = '/v1/stores/other/operations/disputes';
  const ask = async (to: string, bearer: string, type: string, raw: string) => {
    service.clock.now += 1000;
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': type };
    const { status, body } = await service.send('POST', to, undefined, { raw, headers });
    return `${status} ${body.code ?? body.status}`;
  };
  const long = 'x'.repeat(65 * 1024);

  expect(await ask(foreignPath, 'wrong', 'text/plain', '{')).toBe('401 invalid_key');
  expect(await ask(foreignPath, key, 'text/plain', '{')).toBe('404 not_found');
  service.clock.now -= 1000;
  expect(await ask(foreignPath, key, 'text/plain', '{')).toBe('429 rate_limited');
  expect(await ask(path, key, 'text/plain', '{')).toBe('403 insufficient_scope');
  expect(await ask(path, allowed.key, 'text/plain', '{')).toBe('415 unsupported_media_type');
  expect(await ask(path, allowed.key, 'application/json', long)).toBe('413 too_large');
  expect(await ask(path, allowed.key, 'application/json', '{')).toBe('400 malformed_json');
  expect(await ask(path, allowed.key, 'application/json', '{}')).toBe('422 validation_failed');
  const dispute = JSON.stringify({ kind: 'payment', reason: 'x', idempotencyKey: 'k' });
  expect(await ask(path, allowed.key, 'application/json', dispute)).toBe('201 open');
  const other = JSON.stringify({ kind: 'payment', reason: 'y', idempotencyKey: 'k' });
  expect(await ask(path, allowed.key, 'application/json', other)).toBe('422 idempotency_key_reused');
});

test('the rate limit is checked before the tenant and has Retry-After', async () => {
  const service = await openService({ rateLimit: { perSecond: 0.5, burst: 3 } });
  const second = await createKey(service.storage, { storeId: service.storeId, preset: 'owner' });
  const show = (headers = {}) => service.call('settings.show', '', undefined, { headers });
  for (let count = 0; count < 3; count++) expect((await show()).status).toBe(200);

  const limited = await show();
  expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(limited.headers.get('retry-after')).toBe('2');
  expect((await service.send('GET', '/v1/stores/other/operations/settings')).status).toBe(429);
  expect((await show({ authorization: `Bearer ${second.key}` })).status).toBe(200);

  service.clock.now += 1999;
  expect((await show()).headers.get('retry-after')).toBe('1');
  service.clock.now += 1;
  expect((await show()).status).toBe(200);
  expect((await show()).status).toBe(429);
});

test('a clock that is put back limits no client', async () => {
  const steady = { now: 0 };
  const rateLimit = { perSecond: 1, burst: 2 };
  const { clock, call } = await openService({ rateLimit, elapsed: () => steady.now });
  const show = async () => (await call('settings.show', '')).status;
  expect([await show(), await show(), await show()]).toEqual([200, 200, 429]);
  clock.now -= 3_600_000;
  steady.now += 2_000;
  expect([await show(), await show(), await show()]).toEqual([200, 200, 429]);
});

test('without settings a key has 20 requests at once, then 10 a second', async () => {
  const { storage, key, storeId, clock } = await openService();
  const app = toFetch(createApp({ storage, version: '1', clock: () => clock.now, elapsed: () => clock.now }));
  const url = `http://service.test/v1/stores/${storeId}/operations/settings`;
  const many = async (count: number) => {
    const statuses = [];
    for (let index = 0; index < count; index++) {
      statuses.push((await app(new Request(url, { headers: { authorization: `Bearer ${key}` } }))).status);
    }
    return statuses.filter((status) => status === 200).length;
  };
  expect(await many(25)).toBe(20);
  clock.now += 1000;
  expect(await many(25)).toBe(10);
});

test('rounding loses no request of a burst at any rate', async () => {
  const { storage } = await openService();
  for (const perSecond of [6, 7, 11, 13]) {
    const burst = 2 * perSecond;
    const service = await openService({ storage, rateLimit: { perSecond, burst } });
    const statuses: number[] = [];
    for (let count = 0; count <= burst; count++) {
      statuses.push((await service.call('settings.show', '')).status);
    }
    expect(statuses).toEqual([...Array(burst).fill(200), 429]);
  }
});

test('bodies are strict JSON', async () => {
  const service = await openService();
  const deep = (levels: number) => `{"riskSignals":${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}}`;
  const bodies: [string, string | Uint8Array<ArrayBuffer>][] = [
    ['empty', ''],
    ['not JSON', '{"text":'],
    ['trailing comma', '{"text":"x",}'],
    ['comment', '{"text":"x"} // y'],
    ['two values', '{"text":"x"}{}'],
    ['single quotes', "{'text':'x'}"],
    ['byte order mark', '\ufeff{"text":"x"}'],
    ['array', '[{"text":"x"}]'],
    ['string', '"text"'],
    ['null', 'null'],
    ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['overlong UTF-8', Uint8Array.of(0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d)],
    ['duplicate name', '{"text":"x","text":"x"}'],
    ['duplicate name, escaped', '{"text":"x","\\u0074ext":"y"}'],
    ['duplicate name, escaped the first time', '{"\\u0074ext":"x","text":"y"}'],
    ['duplicate name, whose end looks escaped', '{"a\\\\":"x" , "a\\\\" :"y"}'],
    ['duplicate name, nested in an array', '{"text":[{"a":1},{"b":1,"c":[],"b":2}]}'],
    ['NUL', '{"text":"a\\u0000b"}'],
    ['NUL in a name', '{"te\\u0000xt":"a"}'],
    ['lone surrogate', '{"text":"\\ud83d"}'],
    ['lone surrogate in a name', '{"\\udc00":"x"}'],
    ['__proto__', '{"text":"x","__proto__":{"a":1}}'],
    ['__proto__, escaped', '{"text":"x","\\u005f_proto__":{"a":1}}'],
    ['constructor', '{"text":{"constructor":1}}'],
    ['prototype', '{"text":[{"prototype":1}]}'],
    ['33 levels', deep(33)],
    ['a string without end', `{"a":"${'x'.repeat(1000)}`],
    ['a string that ends in a backslash', '{"a":"\\'],
    ['too many values', `{"a":[${'0,'.repeat(20_000)}0]}`],
    ['brackets only', '['.repeat(60_000)],
    ['60 000 levels', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ];
  for (const [name, raw] of bodies) {
    const answer = await service.call('disputes.open', '', undefined, { raw });
    expect(answer, name).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
  }

  for (const raw of [
    deep(32),
    '{"riskSignals":{"a":{"same":1},"b":{"same":1}}}',
    '{"riskSignals":{"a":"{\\"x\\":1,\\"x\\":2}","b":"\\\\","c":"__proto__"}}',
    '{"riskSignals":{"a":"\\\\\\\\","b":"\\\\u0000","c":"\\\\\\"","d":"\\\\ud800"}}',
    '{"reason":"\ud83d\ude00","\ud83d\ude00":1,"\ud83d\ude01":1}',
    ' \r\n\t{ "reason" : "\\ud83d\\ude00 \\" : { [" } ',
  ]) {
    const answer = await service.call('disputes.open', '', undefined, { raw });
    expect(answer, raw.slice(0, 60)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  }
});

test('hostile bodies are refused before they are parsed, and a text full of escapes is parsed once', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const outcomes = ['['.repeat(100_000), `[${'1,'.repeat(100_000)}`, ']'.repeat(100_000)].map((text) => {
    try {
      return parseJsonObject(Buffer.from(text));
    } catch (error) {
      return error instanceof Error && error.message;
    }
  });
  expect(outcomes).toEqual([
    'The body is more than 32 levels deep',
    'The body has more than 20000 values',
    'The body is not valid JSON',
  ]);
  expect(parse).not.toHaveBeenCalled();
  const escapes = '\\u0041\\n\\"'.repeat(50_000);
  expect(parseJsonObject(Buffer.from(`{"a":"${escapes}"}`))).toEqual({ a: 'A\n"'.repeat(50_000) });
  expect(parse).toHaveBeenCalledOnce();
});

test('a body can have 64 KiB, the body of a post 1 MiB', async () => {
  const service = await openService();
  const sized = (bytes: number) => ({ raw: `{"a":"${'x'.repeat(bytes - 8)}"}` });
  const outcomes = [
    await service.call('disputes.open', '', undefined, sized(64 * 1024)),
    await service.call('disputes.open', '', undefined, sized(64 * 1024 + 1)),
    await service.call('blog.create', '', undefined, sized(1024 * 1024)),
    await service.call('blog.create', '', undefined, sized(1024 * 1024 + 1)),
  ];
  expect(outcomes.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
    '422 validation_failed',
    '413 too_large',
    '422 validation_failed',
    '413 too_large',
  ]);
});

test('only application/json is accepted', async () => {
  const service = await openService();
  const taken = ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'];
  const refused = [
    'text/plain',
    'application/json; charset=latin1',
    'application/jsonp',
    'multipart/form-data',
    '',
  ];
  for (const type of taken) {
    const answer = await service.call(
      'blog.create',
      '',
      { ...post, slug: `s${taken.indexOf(type)}` },
      { headers: { 'content-type': type } },
    );
    expect(answer.status, type).toBe(201);
  }
  for (const type of refused) {
    const answer = await service.call('blog.create', '', post, { headers: { 'content-type': type } });
    expect(answer, type).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  }
});

test('a compressed body gets 415, not malformed_json', async () => {
  const service = await openService();
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

  const answer = await service.send('POST', `/v1/stores/${service.storeId}/blog/posts`, undefined, {
    raw: '\u001f\u008b',
    headers: { authorization: `Bearer ${service.key}`, ...headers },
  });

  expect(answer).toMatchObject({ status: 415, body: { detail: 'Send the body without Content-Encoding.' } });
});

test('unknown paths, other methods, HEAD and OPTIONS', async () => {
  const service = await openService();
  const settings = `/v1/stores/${service.storeId}/operations/settings`;
  const disputes = `/v1/stores/${service.storeId}/operations/disputes`;
  const appeal = `/v1/stores/${service.storeId}/operations/subdomain-reclaims/x/appeal`;
  for (const path of ['/v1', '/v2/stores/x', `${settings}/`, `${settings}/more`, '/v1/stores/a/b', '/%']) {
    expect(await service.send('GET', path), path).toMatchObject({ status: 404, body: { code: 'not_found' } });
  }
  for (const [method, path, allow] of [
    ['DELETE', settings, 'GET, PUT, HEAD, OPTIONS'],
    ['DELETE', disputes, 'POST, GET, HEAD, OPTIONS'],
    ['GET', appeal, 'POST, OPTIONS'],
    ['PUT', '/healthz', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const answer = await service.send(method, path);
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')).toBe(allow);
  }

  expect(await service.send('GET', '/')).toMatchObject({ body: { openapi: 'openapi.json', docs: 'docs' } });

  const options = await service.send('OPTIONS', settings);
  expect(options).toMatchObject({ status: 204, body: null });
  expect(options.headers.get('allow')).toBe('GET, PUT, HEAD, OPTIONS');

  const [head, get] = [await service.send('HEAD', settings), await service.send('GET', settings)];
  expect(head).toMatchObject({ status: 200, body: null });
  expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
  expect(await service.send('HEAD', appeal)).toMatchObject({ status: 405, body: null });
});

test('health, readiness and the OpenAPI document need no key', async () => {
  const service = await openService();
  const headers = { authorization: '' };
  for (const path of ['/healthz', '/readyz']) {
    expect(await service.send('GET', path, undefined, { headers })).toMatchObject({
      status: 200,
      body: { ok: true },
    });
  }
  const openApi = await service.send('GET', '/openapi.json', undefined, { headers });
  expect(openApi).toMatchObject({ status: 200, body: describeService('1.2.3') });
});

test('the OpenAPI document is valid to others', async () => {
  const service = await openService();
  const { body } = await service.send('GET', '/openapi.json');
  const validator = new Validator();
  expect(await validator.validate(body)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  expect((await new Validator().validate({ ...body, paths: { v1: {} } })).valid).toBe(false);
});

test('every answer has a different request id', async () => {
  const service = await openService();
  const answers = [
    await service.call('settings.show', ''),
    await service.send('GET', '/nothing'),
    await service.send('OPTIONS', '/healthz'),
    await service.send('GET', '/healthz'),
    await service.call('blog.create', '', {}),
  ];
  const ids = answers.map((answer) => answer.headers.get('x-request-id'));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(ids).size).toBe(answers.length);
});

test('the log has a line per request without body, query and key, and the path of what was not found', async () => {
  const lines: object[] = [];
  const service = await openService({ log: (line) => lines.push(line) });
  const answer = await service.call('disputes.show', 'some-dispute');
  await service.send('GET', '/v1/nothing?with=query', undefined, { headers: { authorization: '' } });
  await service.call('blog.create', '', { ...post, title: 'Not for the log' });
  const line = {
    level: 'info',
    method: 'GET',
    ms: expect.any(Number),
    requestId: expect.any(String),
    clientAddress: '127.0.0.1',
  };
  const known = { storeId: service.storeId, keyId: service.keyId };
  expect(lines).toEqual([
    {
      ...line,
      ...known,
      route: '/v1/stores/{storeId}/operations/disputes/{disputeId}',
      status: 404,
      code: 'not_found',
      path: `/v1/stores/${service.storeId}/operations/disputes/some-dispute`,
      requestId: answer.headers.get('x-request-id'),
    },
    {
      ...line,
      route: 'none',
      status: 404,
      code: 'not_found',
      path: '/v1/nothing',
      storeId: null,
      keyId: null,
    },
    { ...line, ...known, method: 'POST', route: expect.any(String), status: 201, code: null },
  ]);
  const text = JSON.stringify(lines);
  for (const secret of [service.key.slice(-20), 'with=query', 'Not for the log'])
    expect(text).not.toContain(secret);
});

test('probes are in the log at its lowest level only', async () => {
  const lines: object[] = [];
  const service = await openService({ log: (line) => lines.push(line) });
  for (const path of ['/healthz', '/readyz', '/openapi.json']) await service.send('GET', path);
  expect(lines).toMatchObject([
    { route: '/healthz', level: 'debug' },
    { route: '/readyz', level: 'debug' },
    { route: '/openapi.json', level: 'info' },
  ]);
});

test('the cause of a failure is in the log and not in the answer', async () => {
  const lines: object[] = [];
  const service = await openService({ log: (line) => lines.push(line) });
  await service.storage.write(async (db) => {
    await db.schema.dropTable('deliveries').execute();
    await db.schema.dropTable('events').execute();
  });
  const answer = await service.call('blog.create', '', post);
  expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
  expect(JSON.stringify(answer.body)).not.toMatch(/events|sqlite|\.ts/i);
  const error = expect.stringMatching(/no such table: events|does not exist/);
  expect(lines).toMatchObject([{ level: 'error', status: 500, code: 'internal_error', error }]);
  expect(await service.storage.read((db) => db.selectFrom('posts').selectAll().execute())).toEqual([]);
});
