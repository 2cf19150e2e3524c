import { expect, test } from 'vitest';
import { backup } from '../../../src/contract/operations/backups.ts';
import type { OperationId } from '../../../src/contract/operations/operations.ts';
import { createApp } from '../../../src/service/index.ts';
import { addReclaim } from '../../../src/service/operations/reclaims.ts';
import { insert } from '../../../src/service/storage/core/statement.ts';
import {
  deleteExpiredResponses,
  deleteResponse,
} from '../../../src/service/storage/queries/idempotency-keys.ts';
import { rowsOf } from '../../helpers/rows.ts';
import {
  type Answer,
  type CallOptions,
  listEvents,
  newDatabase,
  openService,
  openTestStorage,
  type Service,
  toFetch,
} from '../helpers/service.ts';

const hours = 60 * 60 * 1000;

interface KeyedCall {
  readonly operation: OperationId;
  readonly target: string;
  readonly body: object;
  readonly other: object;
  /** Those whose key is in a header. */
  readonly options?: CallOptions;
}

/** The operations that change something, each with a key in its body or in a header. */
async function calls(service: Service): Promise<readonly KeyedCall[]> {
  const dispute = { kind: 'payment', reason: 'x', idempotencyKey: 'k' };
  const { id: disputeId } = (await service.call('disputes.open', '', dispute)).body;
  const { id: reclaimId } = await service.inStore((work) =>
    addReclaim(work, { subdomain: 'x', reason: 'y' }),
  );
  const endpoint = { kind: 'discord', url: 'https://discord.com/api/webhooks/1/x', events: ['post_created'] };
  const backup = { label: 'base', sections: ['store'], idempotencyKey: 'base' };
  const { id: backupId } = (await service.call('backup.create', '', backup)).body;
  const inHeader: readonly KeyedCall[] = [
    { operation: 'store.update', target: '', body: { name: 'A' }, other: { name: 'B' } },
    {
      operation: 'blog.create',
      target: '',
      body: { title: 'A "contentMd":null', contentMd: '$& "contentMd":null $1' },
      other: { title: 'A', contentMd: 'B' },
    },
    {
      operation: 'disputes.decide',
      target: disputeId,
      body: { status: 'won', resolution: 'A' },
      other: { status: 'won', resolution: 'B' },
    },
    {
      operation: 'settings.save',
      target: '',
      body: { discovery: { summary: 'A' } },
      other: { discovery: { summary: 'B' } },
    },
    { operation: 'reclaim.appeal', target: reclaimId, body: { text: 'A' }, other: { text: 'B' } },
    {
      operation: 'notify.add-endpoint',
      target: '',
      body: { ...endpoint, name: 'A' },
      other: { ...endpoint, name: 'B' },
    },
    {
      operation: 'notify.mark-read',
      target: '',
      body: { ids: [] },
      other: {},
    },
  ];
  const options = { headers: { 'idempotency-key': 'k' } };
  return [
    {
      operation: 'disputes.open',
      target: '',
      body: { kind: 'payment', reason: 'A', idempotencyKey: 'k1' },
      other: { kind: 'payment', reason: 'B', idempotencyKey: 'k1' },
    },
    {
      operation: 'backup.create',
      target: '',
      body: { label: 'A', sections: ['store', 'blog'], idempotencyKey: 'k' },
      other: { label: 'A', sections: ['blog', 'store'], idempotencyKey: 'k' },
    },
    {
      operation: 'backup.restore',
      target: backupId,
      body: { sections: ['store'], idempotencyKey: 'k' },
      other: { sections: ['blog'], idempotencyKey: 'k' },
    },
    ...inHeader.map((call) => ({ ...call, options })),
  ];
}

/** What a client sees of an answer, but for the id of its request and whether it is a repeated one. */
function seen({ status, headers, body }: Answer) {
  const { 'x-request-id': _, 'idempotency-replayed': __, ...rest } = Object.fromEntries(headers);
  return { status, headers: rest, body: { ...body, requestId: undefined } };
}

function isReplayed({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

test('each change is applied once for each key, and repeated with its first answer', async () => {
  const service = await openService();
  for (const { operation, target, body, options } of await calls(service)) {
    const first = await service.call(operation, target, body, options);
    const events = await listEvents(service);
    service.clock.now += 47 * hours;
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    const again = await service.call(operation, target, reversed, options);

    expect(first.status, operation).toBeLessThan(300);
    expect(isReplayed(first)).toBe(false);
    expect(isReplayed(again)).toBe(true);
    expect(seen(again)).toEqual(seen(first));
    expect(await listEvents(service)).toEqual(events);
    service.clock.now -= 47 * hours;
  }
});

test('another request with the same key is refused, and the first answer stays', async () => {
  const service = await openService();
  for (const { operation, target, body, other, options } of await calls(service)) {
    const first = await service.call(operation, target, body, options);
    const reused = await service.call(operation, target, other, options);
    const again = await service.call(operation, target, body, options);

    expect(reused, operation).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(reused.headers.has('idempotency-kept')).toBe(false);
    expect(seen(again)).toEqual(seen(first));
  }
});

test('a key is forgotten after 48 hours', async () => {
  const service = await openService();
  for (const { operation, target, body, options } of await calls(service)) {
    const first = await service.call(operation, target, body, options);
    service.clock.now += 48 * hours;
    const again = await service.call(operation, target, body, options);

    expect(first.status, operation).toBeLessThan(300);
    expect(isReplayed(again)).toBe(false);
    service.clock.now -= 48 * hours;
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
