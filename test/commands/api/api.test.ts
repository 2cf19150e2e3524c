import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';
import { scriptedStore, setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

const { storeId, apiKey } = scriptedStore;
const settings = '/v1/stores/{store}/operations/settings';
const made = answer(200, { id: 'made', b: 2, a: 1 });
const backups = '/v1/stores/{store}/operations/backups';

test('a raw dispute without a key in its body is not sent a second time, not by resume either', async () => {
  const { machine, server } = await setScene({ answers: [{ does: 'drop' }] });
  const args = ['api', 'POST', '/v1/stores/{store}/operations/disputes', '--input', '-'];
  const sent = () => server.requests.filter(({ method }) => method === 'POST');

  expect((await machine.run(args, { stdin: '{"reason":"Never arrived"}' })).exitCode).toBe(10);
  expect(sent()).toHaveLength(1);
  expect(await machine.run(['resume'])).toMatchObject({ exitCode: 10 });
  expect(sent()).toHaveLength(1);
});

test('the real service: a read, a change that the history knows, and a refusal', async () => {
  const { service, machine } = await setScene();

  const read = await machine.run(['api', 'get', settings]);
  expect(await machine.run(['api', settings.slice(1)])).toEqual(read);
  expect(read).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(read.stdout)).toMatchObject({ storeId: service.storeId });

  const change = await machine.run(['api', 'PATCH', '/v1/stores/{store}', '-f', 'settings.cashbackBp=250']);
  expect(change.exitCode).toBe(0);
  expect(change.stderr).toContain(`main → store ${service.storeId}`);
  expect(JSON.parse(change.stdout)).toMatchObject({ settings: { cashbackBp: 250 } });
  const [record] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  expect(record).toMatchObject({ operation: 'store.update', state: 'applied' });

  const refused = await machine.run(['api', 'PATCH', '/v1/stores/{store}', '-f', 'nonsense=1']);
  expect(refused.exitCode).toBe(7);
  expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'validation_failed' });
  expect(refused.stderr).toContain('error: the service rejected the request (422 validation_failed)');
});

test('a path alone is read; without any path, an example is shown', async () => {
  const scene = await setScene({ answers: [made] });

  const read = await scene.machine.run(['api', `${settings}?a=1`]);
  const empty = await scene.machine.run(['api']);

  expect(read).toMatchObject({ exitCode: 0, stderr: '' });
  expect(scene.server.requests).toMatchObject([
    { method: 'GET', path: `/v1/stores/${storeId}/operations/settings?a=1` },
  ]);
  expect(empty).toMatchObject({
    exitCode: 3,
    stderr: `error: <path> is required (for example ${settings})\n  add it to the command\n`,
  });
});

test('fields: JSON where it parses, dotted paths, the last one counts; a key is made for a keyed operation', async () => {
  const scene = await setScene({ answers: [made] });
  const fields = typed`-f label=nightly -f sections=["store"] --field a.b=1 -f a.c=x -f a.b=true`;
  const args = ['api', 'POST', backups, ...fields];

  expect(await scene.machine.run(args)).toMatchObject({ exitCode: 0, stdout: '{"id":"made","b":2,"a":1}\n' });

  const [request] = scene.server.requests;
  expect(request?.path).toBe(`/v1/stores/${storeId}/operations/backups`);
  expect(request?.headers.authorization).toBe(`Bearer ${apiKey}`);
  expect(JSON.parse(request?.body ?? '')).toEqual({
    label: 'nightly',
    sections: ['store'],
    a: { b: true, c: 'x' },
    idempotencyKey: expect.stringMatching(/^storectl-/),
  });
});

test('a[] is a list; other brackets are refused', async () => {
  const scene = await setScene({ answers: [made] });
  const fields = ['sections[]=store', 'sections[]=blog', 'p.q[]=true'].flatMap((pair) => ['-f', pair]);

  expect(await scene.machine.run(['api', 'POST', '/v1/x', ...fields])).toMatchObject({ exitCode: 0 });
  // A query is sent as it is given.
  await scene.machine.run(['api', 'GET', '/v1/x', '-f', 'sections[]=store']);
  for (const field of ['a[b]=1', 'l[][x]=1', '[]=1']) {
    const refused = await scene.machine.run(['api', 'POST', '/v1/x', '-f', field]);
    expect(refused, field).toMatchObject({ exitCode: 2 });
  }

  const [change, read, ...others] = scene.server.requests;
  expect(JSON.parse(change?.body ?? '')).toEqual({ sections: ['store', 'blog'], p: { q: [true] } });
  expect(decodeURIComponent(read?.path ?? '')).toBe('/v1/x?sections[]=store');
  expect(others).toEqual([]);
});

test('--input goes byte for byte; without a key in it a keyed operation is sent once', async () => {
  const scene = await setScene({ answers: [{ does: 'drop' }] });
  const text = '{\n  "label" : "nightly", "n": 1.50, "big": 12345678901234567890\n}\n';
  writeFileSync(path.join(scene.machine.folder, 'body.json'), text);
  const args = ['api', 'POST', backups, '--input', 'body.json', '--no-input'];

  const result = await scene.machine.run(args);

  expect(result.exitCode).toBe(10);
  expect(scene.server.requests.map(({ body }) => body)).toEqual([text]);

  const stdin = '{ "label":"x","idempotencyKey":"mine-1"}';
  const keyed = await scene.machine.run(['api', 'POST', backups, '--input', '-'], { stdin });
  expect(keyed.exitCode).toBe(10);
  const bodies = scene.server.requests.slice(1).map(({ body }) => body);
  expect(bodies.length).toBeGreaterThan(1);
  expect(new Set(bodies)).toEqual(new Set([stdin]));
});

test('a change outside the contract is sent once; resume leaves it and says so', async () => {
  const scene = await setScene({ answers: [{ does: 'drop' }] });
  const lost = await scene.machine.run(['api', 'DELETE', '/v1/stores/{store}/blog/posts/p1', '--json']);

  expect(lost.exitCode).toBe(10);
  expect(scene.server.requests).toHaveLength(1);
  const { operationId } = JSON.parse(lost.stderr.slice(lost.stderr.indexOf('{"error"'))).error;
  const shown = JSON.parse((await scene.machine.run(['history', 'show', operationId, '--json'])).stdout);
  expect(shown).toMatchObject({ operation: 'api', method: 'DELETE', class: 'one-shot', state: 'unknown' });
  const listed = await scene.machine.run(['history', 'list', '--operation', 'api', '--json']);
  expect(await scene.machine.run(['history', 'list', '--operation', 'apy'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/use one of .*, api$/m),
  });
  expect(JSON.parse(listed.stdout)).toHaveLength(1);

  const resumed = await scene.machine.run(['resume', operationId]);

  expect(resumed.exitCode).toBe(10);
  expect(resumed.stdout).toContain('sending it again could do it twice');
  expect(scene.server.requests).toHaveLength(1);
});

test.each([
  ['nothing', answer(204), '', 'null\n'],
  ['an empty body', answer(200, ''), '', 'null\n'],
  ['a list', answer(200, [1]), '[1]\n', '[1]\n'],
  [
    'text',
    answer(202, 'queued\u001b[31m', { 'content-type': 'text/plain' }),
    'queued\\u001b[31m\n',
    '"queued\\u001b[31m"\n',
  ],
])('outside the contract %s is an answer too', async (_name, behaviour, stdout, json) => {
  const scene = await setScene({ answers: [behaviour] });
  const args = ['api', 'POST', '/v1/stores/{store}/something'];

  const result = await scene.machine.run(args);
  expect(result).toMatchObject({ exitCode: 0, stdout });
  expect(result.stderr).not.toContain('contract');
  for (const method of ['GET', 'DELETE']) {
    const other = ['api', method, '/v1/stores/{store}/something'];
    expect(await scene.machine.run([...other, '--json'])).toMatchObject({ exitCode: 0, stdout: json });
    expect(await scene.machine.run([...other, '-q'])).toMatchObject({ exitCode: 0, stdout: '' });
  }
  const [record] = JSON.parse((await scene.machine.run(['history', 'list', '--json'])).stdout);
  expect(record).toMatchObject({ operation: 'api', state: 'applied' });
  expect(await scene.machine.run(['resume', record.id])).toMatchObject({ exitCode: 0 });
});

test('of GET the fields are the query', async () => {
  const scene = await setScene({ answers: [made] });
  const result = await scene.machine.run(['api', 'GET', '/v1/x?page=1', '-f', 'q=a b&c', '-f', 'n=2']);

  expect(result.stdout).toBe('{"id":"made","b":2,"a":1}\n');
  expect(scene.server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/x?page=1&q=a%20b%26c&n=2',
  ]);
  expect(JSON.parse((await scene.machine.run(['history', 'list', '--json'])).stdout)).toEqual([]);
});

test('an error body of any kind is on stdout, and the error on stderr', async () => {
  const scene = await setScene({
    answers: [answer(404, '<h1>Not here</h1>', { 'content-type': 'text/html' })],
  });

  const result = await scene.machine.run(['api', 'GET', '/v1/x']);

  expect(result.exitCode).toBe(5);
  expect(result.stdout).toBe('<h1>Not here</h1>\n');
  expect(result.stderr).toContain('error: the service rejected the request (404): HTTP 404');
  // One JSON document or none.
  expect(await scene.machine.run(['api', 'GET', '/v1/x', '--json'])).toMatchObject({
    exitCode: 5,
    stdout: '',
  });
});

test('the path goes below the path of the base URL', async () => {
  await using server = await startFaultServer([answer(200, {})]);
  const machine = machineFor({ origin: `${server.url}/shop`, storeId: 'a store', apiKey });

  expect(await machine.run(['api', 'GET', '/v1/stores/{store}'])).toMatchObject({ exitCode: 0 });
  expect(server.requests.map(({ path }) => path)).toEqual(['/shop/v1/stores/a%20store']);
});

test.each([
  'stores/x',
  '//evil.example/v1/x',
  '/v1/../../admin',
  '/v1/%2e%2E/admin',
  '/v1/./x',
  '/v1/a%2fb',
  '/v1/a%5Cb',
  '/v1\\x',
  '/v1/x#y',
  '/v1/a b',
  '/v1/ä',
  '/v1/{id}',
  '/v1/%zz',
  '/v1/%00',
  'https://evil.example/v1/x',
  'http://127.0.0.1:1/v1/x',
  'C:/Program Files/Git/v1/x',
])('the path %s is refused before anything is sent', async (target) => {
  const scene = await setScene({ answers: [made] });
  const result = await scene.machine.run(['api', 'GET', target, '--json']);

  expect(result.exitCode).toBe(2);
  expect(JSON.parse(result.stderr).error).toMatchObject({ code: 'invalid_path', outcome: 'not_sent' });
  expect(scene.server.requests).toEqual([]);
});

test.each([
  ['the key in the query', ['GET', '/v1/x', '-f', `key=${apiKey}`]],
  ['the key in the body', ['POST', '/v1/x', '-f', `key=${apiKey}`]],
  ['a method that is none', ['CONNECT', '/v1/x']],
  ['a body of a GET', ['GET', '/v1/x', '--input', '-']],
  ['two bodies', ['POST', '/v1/x', '--input', '-', '-f', 'a=1']],
  ['a body that is no JSON', ['POST', '/v1/x', '--input', '-']],
  ['a field without a value', ['POST', '/v1/x', '-f', 'a']],
])('%s is refused before anything is sent', async (_name, args) => {
  const scene = await setScene({ answers: [made] });
  const result = await scene.machine.run(['api', ...args], { stdin: 'label: x' });

  expect(result.exitCode).toBe(2);
  expect(result.stdout + result.stderr).not.toContain(apiKey);
  expect(scene.server.requests).toEqual([]);
});

test('a missing path is named before a missing store', async () => {
  const result = await newMachine().run(['api', 'POST']);
  expect(result.exitCode).toBe(3);
  expect(result.stderr).toContain('<path>');
});

test('a change of another store than the one in use is refused: its history is another', async () => {
  const scene = await setScene({ answers: [made] });
  const create = ['api', 'POST', '/v1/stores/store-2/operations/backups', '-f', 'label=x'];
  expect(await scene.machine.run(create)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('add --store store-2'),
  });
  expect(scene.server.requests).toEqual([]);

  await scene.machine.run([...create, '--store', 'store-2']);

  const { stdout } = await scene.machine.run(['history', 'list', '--store', 'store-2', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ operation: 'backup.create', storeId: 'store-2' }]);
});

test('a change of the contract has a key in its header, and is sent again with it where its response was lost', async () => {
  const { proxy, machine } = await setScene();
  const create = ['api', 'POST', '/v1/stores/{store}/blog/posts', '-f', 'title=Sale', '-f', 'contentMd=Now'];
  let writes = 0;
  proxy.decide(({ method }) => (method !== 'GET' && ++writes === 1 ? 'drop' : 'pass'));

  expect(await machine.run(create)).toMatchObject({ exitCode: 0 });

  const [first, second] = proxy.writes();
  expect(first?.rawHeaders).toContain('idempotency-key');
  expect(second?.bytes).toBe(first?.bytes);
});

test('a change that is not of the contract has no key, and is sent once', async () => {
  const { proxy, machine } = await setScene();
  proxy.decide(() => 'drop');

  expect(await machine.run(['api', 'POST', '/v1/other', '-f', 'a=1'])).toMatchObject({ exitCode: 10 });

  expect(proxy.requests).toHaveLength(1);
  expect(proxy.requests[0]?.rawHeaders).not.toContain('idempotency-key');
});
