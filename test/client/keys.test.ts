import { describe, expect, test } from 'vitest';
import { answer, type Behaviour, startFaultServer } from '../helpers/fault-server.ts';
import { clientFor } from './support.ts';

const key = '0b6f9c1e-5f0e-4d0a-9f3e-0d1c2b3a4f5e';
const keys = { 'service-features': 'reads, keys' };
const kept = { ...keys, 'idempotency-kept': 'true' };
const drop: Behaviour = { does: 'drop' };
const post = { method: 'POST', path: '/v1/x/posts', body: '{"a":1}', class: 'one-shot' } as const;

/** What one post with a key in its header comes to, and the requests that were sent for it. */
async function send(script: readonly Behaviour[], input: object = { idempotencyKey: key }) {
  await using server = await startFaultServer(script, { hasReads: true });
  await using client = clientFor(server.url);
  const outcome = await client.send(post, input);
  return { outcome, requests: server.requests };
}

const methods = (requests: readonly { method: string }[]) => requests.map(({ method }) => method);

describe('a one-shot change with a key in its header', () => {
  test('is sent as it is: the key is bare, and nothing is asked where the response comes', async () => {
    const { outcome, requests } = await send([answer(201, {})]);
    expect(outcome.kind).toBe('applied');
    expect(requests).toMatchObject([{ method: 'POST', headers: { 'idempotency-key': key } }]);
  });

  test('that was lost is sent again once a GET of its path, with its key, says keys', async () => {
    const replayed = { ...keys, 'idempotency-replayed': 'true' };
    const { outcome, requests } = await send([drop, answer(405, {}, keys), answer(201, {}, replayed)]);
    expect(outcome).toMatchObject({ kind: 'applied', attempts: 2, replayed: true });
    expect(methods(requests)).toEqual(['POST', 'GET', 'POST']);
    for (const { path, headers } of requests) {
      expect(path).toBe(post.path);
      expect(headers['idempotency-key']).toBe(key);
    }
    expect(requests[0]?.body).toBe(requests[2]?.body);
  });

  test('needs no GET where the response itself says keys', async () => {
    const { outcome, requests } = await send([
      answer(503, {}, keys),
      answer(409, { code: 'idempotency_key_in_progress' }, keys),
      answer(201, {}, keys),
    ]);
    expect(outcome).toMatchObject({ kind: 'applied', attempts: 3 });
    expect(methods(requests)).toEqual(['POST', 'POST', 'POST']);
  });

  test.each([
    ['says nothing about keys', answer(405, {})],
    ['says that its header did not arrive', answer(405, {}, { 'service-features': 'reads' })],
    ['comes from a gateway in trouble', answer(503, {})],
    ['is lost', drop],
  ])('stays unknown where the response to the GET %s', async (_, read) => {
    const { outcome, requests } = await send([drop, read, answer(201, {})]);
    expect(outcome).toMatchObject({ kind: 'unknown', attempts: 1 });
    expect(methods(requests)).toEqual(['POST', 'GET']);
  });

  test('without a key is sent once, and nothing is asked', async () => {
    const { outcome, requests } = await send([drop, answer(405, {}, keys)], {});
    expect(outcome).toMatchObject({ kind: 'unknown', attempts: 1 });
    expect(methods(requests)).toEqual(['POST']);
  });

  test('is tried four times', async () => {
    const { outcome, requests } = await send([drop, answer(405, {}, keys), drop]);
    expect(outcome).toMatchObject({ kind: 'unknown', attempts: 4 });
    expect(methods(requests)).toEqual(['POST', 'GET', 'POST', 'POST', 'POST']);
  });
});

test.each([
  ['is kept, and the service applies keys', kept, 'rejected'],
  ['is not said to be kept', keys, 'unknown'],
  [
    'is kept by a service that does not promise to apply keys everywhere',
    { 'idempotency-kept': 'true' },
    'unknown',
  ],
])('a refusal after a doubt that %s', async (_, headers, kind) => {
  const { outcome } = await send([drop, answer(405, {}, keys), answer(409, { code: 'c' }, headers)]);
  expect(outcome).toMatchObject({ kind, status: 409, problem: { code: 'c' } });
});

test('a refusal that is kept proves nothing about a key in the body', async () => {
  await using server = await startFaultServer([drop, answer(409, { code: 'c' }, kept)], { hasReads: true });
  await using client = clientFor(server.url);
  const outcome = await client.send({ ...post, class: 'keyed' }, {});
  expect(outcome).toMatchObject({ kind: 'unknown', status: 409 });
});

test('changes of one kind share the answer', async () => {
  await using server = await startFaultServer([answer(405, {}, keys)], { hasReads: true });
  await using client = clientFor(server.url);
  const ask = (kind: string) => client.appliesOnce({ kind, path: post.path, key });
  expect(await Promise.all([ask('posts'), ask('posts')])).toEqual(['yes', 'yes']);
  expect(server.requests).toHaveLength(1);
  await ask('endpoints');
  expect(server.requests).toHaveLength(2);
});

test('that a service could not be asked is not shared', async () => {
  await using server = await startFaultServer([answer(503, {}), answer(405, {}, keys)], { hasReads: true });
  await using client = clientFor(server.url);
  const ask = () => client.appliesOnce({ kind: 'posts', path: post.path, key });
  expect(await ask()).toBe('unanswered');
  expect(await ask()).toBe('yes');
});

test.each(['a b', '"quoted"', '', 'ü', 'x'.repeat(256)])(
  'a key that no header can carry is refused: %j',
  async (bad) => {
    await expect(send([answer(201, {})], { idempotencyKey: bad })).rejects.toThrow(RangeError);
  },
);

describe('403 with Retry-After', () => {
  test('is a limit: the request is sent again', async () => {
    const { outcome, requests } = await send([answer(403, {}, { 'retry-after': '2' }), answer(201, {})]);
    expect(outcome).toMatchObject({ kind: 'applied', attempts: 2 });
    expect(requests).toHaveLength(2);
  });

  test('without it is about access', async () => {
    const { outcome } = await send([answer(403, {}), answer(201, {})]);
    expect(outcome).toMatchObject({ kind: 'rejected', status: 403, attempts: 1 });
  });
});
