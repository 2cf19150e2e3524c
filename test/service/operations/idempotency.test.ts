import { expect, test } from 'vitest';
import { backup } from '../../../src/contract/operations/backups.ts';
import { createApp } from '../../../src/service/index.ts';
import { insert } from '../../../src/service/storage/core/statement.ts';
import {
  deleteExpiredResponses,
  deleteResponse,
} from '../../../src/service/storage/queries/idempotency-keys.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { newDatabase, openService, openTestStorage, type Service, toFetch } from '../helpers/service.ts';

const hours = 60 * 60 * 1000;

/** The three operations that take a key. */
async function keyedCalls(service: Service) {
  const backup = { label: 'base', sections: ['store'], idempotencyKey: 'base' };
  const { id } = (await service.call('backup.create', '', backup)).body;
  return [
    {
      operation: 'disputes.open',
      target: '',
      status: 201,
      body: { kind: 'payment', reason: 'A', idempotencyKey: 'k' },
      other: { kind: 'payment', reason: 'B', idempotencyKey: 'k' },
    },
    {
      operation: 'backup.create',
      target: '',
      status: 201,
      body: { label: 'A', sections: ['store', 'blog'], idempotencyKey: 'k' },
      other: { label: 'A', sections: ['blog', 'store'], idempotencyKey: 'k' },
    },
    {
      operation: 'backup.restore',
      target: id,
      status: 200,
      body: { sections: ['store'], idempotencyKey: 'k' },
      other: { sections: ['blog'], idempotencyKey: 'k' },
    },
  ] as const;
}

test('the same request with the same key gets the first answer', async () => {
  const service = await openService();
  for (const { operation, target, body, status } of await keyedCalls(service)) {
    const first = await service.call(operation, target, body);
    service.clock.now += 47 * hours;
    const again = await service.call(operation, target, Object.fromEntries(Object.entries(body).reverse()));
    expect(first.status).toBe(status);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    expect(again).toMatchObject({ status, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    service.clock.now -= 47 * hours;
  }
});

test('another request with the same key is refused', async () => {
  const service = await openService();
  for (const { operation, target, body, other } of await keyedCalls(service)) {
    const first = await service.call(operation, target, body);
    const answer = await service.call(operation, target, other);
    expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect((await service.call(operation, target, body)).body).toEqual(first.body);
  }
});

test('a key is forgotten after 48 hours', async () => {
  const service = await openService();
  for (const { operation, target, body, status } of await keyedCalls(service)) {
    const first = await service.call(operation, target, body);
    service.clock.now += 48 * hours;
    const again = await service.call(operation, target, body);
    expect(again.status).toBe(status);
    expect(again.headers.has('idempotency-replayed')).toBe(false);
    expect(again.body).not.toEqual(first.body);
  }
});

test('reused keys do not prevent the deletion of expired answers', async () => {
  const service = await openService();
  const give = (keys: readonly string[], expiresAt: string) =>
    service.inStore(async (work) => {
      const rest = { operation: 'disputes.open', targetId: '', fingerprint: '', status: 201, body: '{}' };
      for (const key of keys) {
        await deleteResponse(work.db, { ...rest, key, storeId: work.storeId });
        await insert(work, 'idempotencyKeys', { ...rest, key, expiresAt });
      }
    });
  const again = Array.from({ length: 1_000 }, (_, index) => `again-${index}`);
  await give([...again, 'once'], '2029-01-03T00:00:00.000Z');
  await give(again, '2030-01-03T00:00:00.000Z');
  await service.inStore((work) => deleteExpiredResponses(work, '2030-01-01T12:00:00.000Z'));
  const rows = await rowsOf(service, 'idempotencyKeys', 'key');
  expect(rows.map(({ key }) => key).sort()).toEqual(again.sort());
});

test('a refusal is not stored', async () => {
  const service = await openService();
  const { id } = (
    await service.call('backup.create', '', { label: 'x', sections: ['store'], idempotencyKey: 'a' })
  ).body;
  const refused = await service.call('backup.restore', id, { sections: ['blog'], idempotencyKey: 'r' });
  expect(refused.status).toBe(422);
  const corrected = await service.call('backup.restore', id, { sections: ['store'], idempotencyKey: 'r' });
  expect(corrected.status).toBe(200);
});

test('a key is of one operation, one object and one store', async () => {
  const service = await openService();
  const other = await openService({ storage: service.storage });
  const backup = { label: 'x', sections: ['store'], idempotencyKey: 'k' };
  const answers = [
    await service.call('backup.create', '', backup),
    await service.call('disputes.open', '', { kind: 'payment', reason: 'x', idempotencyKey: 'k' }),
    await other.call('backup.create', '', backup),
  ];
  const second = await service.call('backup.create', '', { ...backup, idempotencyKey: 'k2' });
  for (const { body } of [answers[0], second].flatMap((answer) => answer ?? [])) {
    answers.push(await service.call('backup.restore', body.id, { sections: ['store'], idempotencyKey: 'k' }));
  }
  for (const answer of answers) {
    expect(answer.status).toBeLessThan(300);
    expect(answer.headers.has('idempotency-replayed')).toBe(false);
  }
});

test('of 20 requests at once with one key, over two connections, one takes effect', async () => {
  const location = await newDatabase();
  const first = await openTestStorage(location);
  const second = await openTestStorage(location);
  const service = await openService({ storage: first });
  // Both need the same clock for the expiry of answers.
  const clock = () => service.clock.now;
  const otherApp = toFetch(createApp({ storage: second, version: '1', rateLimit: null, clock }));
  const body = JSON.stringify({ label: 'x', sections: ['store'], idempotencyKey: 'k' });
  const url = `http://service.test/v1/stores/${service.storeId}/operations/backups`;
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };

  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const app = index % 2 === 0 ? service.fetchApp : otherApp;
      const response = await app(new Request(url, { method: 'POST', headers, body }));
      return {
        status: response.status,
        replayed: response.headers.get('idempotency-replayed'),
        body: await response.json(),
      };
    }),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect(new Set(answers.map((answer) => backup.parse(answer.body).id)).size).toBe(1);
  expect(answers.filter((answer) => answer.replayed === null)).toHaveLength(1);
  const rows = await first.read((db) => db.selectFrom('backups').select('id').execute());
  expect(rows).toHaveLength(1);
});
