import { expect, test } from 'vitest';
import type { OperationId } from '../../../src/contract/operations/operations.ts';
import { createApp, type Storage } from '../../../src/service/index.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { type Answer, newDatabase, openService, openTestStorage, toFetch } from '../helpers/service.ts';

const withKey = (key: string, headers = {}) => ({ headers: { 'idempotency-key': key, ...headers } });

/** What a client sees of an answer, but for the id of its request and whether it is a repeated one. */
function seen({ status, headers, body }: Answer) {
  const { 'x-request-id': _, 'idempotency-replayed': __, ...rest } = Object.fromEntries(headers);
  return { status, headers: rest, body: { ...body, requestId: undefined } };
}

function isReplayed({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

function isKept({ headers }: Answer): boolean {
  return headers.get('idempotency-kept') === 'true';
}

test('a refusal stays the answer to its key when its cause is gone, and another key is applied', async () => {
  const service = await openService();
  const save = { label: 'before', sections: ['blog'], idempotencyKey: 'b' };
  const { id } = (await service.call('backup.create', '', save)).body;
  const post = { title: 'A', contentMd: 'x' };
  await service.call('blog.create', '', post);

  const refused = await service.call('blog.create', '', post, withKey('k'));
  await service.call('backup.restore', id, { sections: ['blog'], idempotencyKey: 'r' });
  const late = await service.call('blog.create', '', post, withKey('k'));

  expect(refused).toMatchObject({ status: 409, body: { code: 'slug_taken', existing: { title: 'A' } } });
  expect([isKept(refused), isReplayed(refused)]).toEqual([true, false]);
  expect([isKept(late), isReplayed(late)]).toEqual([true, true]);
  expect(seen(late)).toEqual(seen(refused));
  expect(late.body.requestId).toBe(late.headers.get('x-request-id'));
  expect((await service.call('blog.create', '', post, withKey('other'))).status).toBe(201);
});

test('refusals of every kind are kept: not found, in conflict, changed meanwhile, invalid now', async () => {
  const service = await openService();
  const cases: readonly [OperationId, string, object, object, string][] = [
    ['disputes.decide', 'none', { status: 'won', resolution: 'x' }, {}, 'not_found'],
    ['store.update', '', { name: 'New' }, { 'if-match': '"old"' }, 'stale'],
    ['settings.save', '', { discovery: { summary: 'New' } }, { 'if-match': '"old"' }, 'stale'],
    [
      'blog.create',
      '',
      { title: 'Late', contentMd: '', status: 'scheduled', scheduledAt: '2020-01-01T00:00:00Z' },
      {},
      'validation_failed',
    ],
  ];
  for (const [operation, target, body, headers, code] of cases) {
    const refused = await service.call(operation, target, body, withKey('k', headers));
    const again = await service.call(operation, target, body, withKey('k'));

    expect(refused.body.code).toBe(code);
    expect(isKept(refused), operation).toBe(true);
    expect(seen(again)).toEqual(seen(refused));
  }
});

test('a refusal by a rule of the database is kept, too', async () => {
  const service = await openService();
  const other = await openService({ storage: service.storage });
  const patch = { slug: other.store.slug };
  const refused = await service.call('store.update', '', patch, withKey('k'));
  await other.call('store.update', '', { slug: `free-${other.store.slug.slice(0, 40)}` });
  const late = await service.call('store.update', '', patch, withKey('k'));

  expect(refused).toMatchObject({ status: 409, body: { code: 'slug_taken' } });
  expect(isKept(refused)).toBe(true);
  expect(seen(late)).toEqual(seen(refused));
});

test('what is refused before the key is looked up is not kept: a body that is not valid, a missing right', async () => {
  const service = await openService();
  const invalid = await service.call('blog.create', '', { title: '' }, withKey('k'));
  const valid = await service.call('blog.create', '', { title: 'A', contentMd: 'x' }, withKey('k'));

  expect(invalid.status).toBe(422);
  expect(isKept(invalid)).toBe(false);
  expect(valid.status).toBe(201);
});

test('the key is looked up before If-Match is judged', async () => {
  const service = await openService();
  const { headers } = await service.call('store.update', '', { name: 'A' });
  const etag = headers.get('etag') ?? '';
  const first = await service.call('store.update', '', { name: 'B' }, withKey('k', { 'if-match': etag }));
  await service.call('store.update', '', { name: 'C' });
  const again = await service.call('store.update', '', { name: 'B' }, withKey('k', { 'if-match': etag }));

  expect(first.status).toBe(200);
  expect(seen(again)).toEqual(seen(first));
  expect((await service.call('store.update', '', { name: 'C' })).body.name).toBe('C');
});

test('quotes around a key are not part of it', async () => {
  const service = await openService();
  const first = await service.call('blog.create', '', { title: 'A', contentMd: 'x' }, withKey('k'));
  const again = await service.call('blog.create', '', { title: 'A', contentMd: 'x' }, withKey('"k"'));

  expect(again.body).toEqual(first.body);
});

test.each(['', ' ', '""', 'two words', 'k, k', 'ü', 'x'.repeat(256)])(
  'the key %j cannot be used: it is refused by its name, and no service promises anything for it',
  async (key) => {
    const service = await openService();
    const refused = await service.call('store.update', '', { name: 'A' }, withKey(key));
    const read = await service.call('settings.show', '', undefined, withKey(key));

    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/Idempotency-Key', code: 'invalid_format' }] },
    });
    expect(read.status).toBe(200);
    for (const { headers } of [refused, read]) expect(headers.get('service-features')).toBe('reads');
  },
);

test('an operation with a key in its body goes by that one', async () => {
  const service = await openService();
  const open = (idempotencyKey: string) =>
    service.call('disputes.open', '', { kind: 'payment', reason: 'x', idempotencyKey }, withKey('same'));

  expect((await open('a')).body.id).not.toBe((await open('b')).body.id);
});

test('the content of a post is not kept a second time, and its answer has it', async () => {
  const service = await openService();
  const contentMd = 'a long text, '.repeat(1_000);
  const post = { title: 'A', contentMd };
  await service.call('blog.create', '', post, withKey('k'));
  const again = await service.call('blog.create', '', post, withKey('k'));
  const [row] = await rowsOf(service, 'idempotencyKeys', 'key', 'body');

  expect(again.body.contentMd).toBe(contentMd);
  expect(String(row?.body).length).toBeLessThan(1_000);
});

/** As the storage, and calls `between` before the second change of a store. */
function interrupted(storage: Storage, between: () => Promise<unknown>): Storage {
  let changes = 0;
  return {
    ...storage,
    forStore(storeId) {
      const transactions = storage.forStore(storeId);
      return {
        ...transactions,
        async change(work) {
          changes += 1;
          if (changes === 2) await between();
          return transactions.change(work);
        },
      };
    },
  };
}

test('if the same request is applied while a refusal is being kept, that is the answer to both', async () => {
  const service = await openService();
  const taken = { title: 'A', contentMd: 'x' };
  const save = { label: 'before', sections: ['blog'], idempotencyKey: 'b' };
  const { id } = (await service.call('backup.create', '', save)).body;
  await service.call('blog.create', '', taken);
  let meanwhile: Answer | undefined;
  const storage = interrupted(service.storage, async () => {
    await service.call('backup.restore', id, { sections: ['blog'], idempotencyKey: 'r' });
    meanwhile = await service.call('blog.create', '', taken, withKey('k'));
  });
  const app = toFetch(createApp({ storage, version: '1', rateLimit: null, clock: () => service.clock.now }));
  const answer = await app(
    new Request(`http://service.test/v1/stores/${service.storeId}/blog/posts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.key}`,
        'content-type': 'application/json',
        'idempotency-key': 'k',
      },
      body: JSON.stringify(taken),
    }),
  );

  expect(answer.status).toBe(201);
  expect(answer.headers.get('idempotency-replayed')).toBe('true');
  expect(await answer.json()).toEqual(meanwhile?.body);
});

test('of 20 requests at once with one key, over two connections, one is applied; 20 others are refused alike', async () => {
  const location = await newDatabase();
  const first = await openTestStorage(location);
  const second = await openTestStorage(location);
  const service = await openService({ storage: first });
  const clock = () => service.clock.now;
  const otherApp = toFetch(createApp({ storage: second, version: '1', rateLimit: null, clock }));
  const body = JSON.stringify({ title: 'A', contentMd: 'x' });
  const url = `http://service.test/v1/stores/${service.storeId}/blog/posts`;

  async function send20(key: string) {
    return Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const headers = {
          authorization: `Bearer ${service.key}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        };
        const app = index % 2 === 0 ? service.fetchApp : otherApp;
        const answer = await app(new Request(url, { method: 'POST', headers, body }));
        const { id, code } = (await answer.json()) as { id?: string; code?: string };
        return { status: answer.status, kept: answer.headers.get('idempotency-kept'), id, code };
      }),
    );
  }
  const applied = await send20('a');
  const refused = await send20('b');

  expect(new Set(applied.map(({ status, id }) => `${status} ${id}`)).size).toBe(1);
  expect(applied[0]?.status).toBe(201);
  expect(refused).toEqual(Array(20).fill({ status: 409, kept: 'true', id: undefined, code: 'slug_taken' }));
  expect(await rowsOf(service, 'posts', 'id')).toHaveLength(1);
});
