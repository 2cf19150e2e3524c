import { expect, test } from 'vitest';
import { exampleIds } from '../../../src/contract/objects.ts';
import { createBlogPost } from '../../../src/contract/operations/blog.ts';
import { addEndpoint } from '../../../src/contract/operations/notifications.ts';
import { type ServedId, servedOperations } from '../../../src/contract/operations/operations.ts';
import { problems } from '../../../src/contract/problem.ts';
import { describeService } from '../../../src/service/http/operation-handlers.ts';
import { createKey, type Scope, type Storage, seedExampleStore } from '../../../src/service/index.ts';
import { StorageBusyError } from '../../../src/service/storage/core/errors.ts';
import type { TransactionWork } from '../../../src/service/storage/core/storage.ts';
import { type CallOptions, openService, openTestStorage, type Service } from '../helpers/service.ts';

interface Declared {
  readonly 'x-required-scope': Scope;
  readonly responses: Record<string, unknown>;
}

const { paths } = describeService('1.2.3') as { paths: Record<string, Record<string, Declared>> };

const targets: Partial<Record<ServedId, string>> = {
  'disputes.decide': exampleIds.openDispute,
  'disputes.show': exampleIds.openDispute,
  'reclaim.appeal': exampleIds.reclaim,
};

/** The example store behind the service, and a key with these scopes. */
async function startExample(storage: Storage, scopes: readonly Scope[], rateLimit = 1000) {
  const service = await openService({ storage, rateLimit: { perSecond: 1, burst: rateLimit } });
  const { storeId } = await seedExampleStore(storage);
  const { key } = await createKey(storage, { storeId, scopes });
  return { service, storeId, authorization: `Bearer ${key}` };
}

type Fault = 'none' | 'broken' | 'busy';

/** The storage, as it is when the database breaks, and when it is busy. */
function withFaults(storage: Storage, current: () => Fault): Storage {
  const spoil =
    <Result>(run: (work: TransactionWork<Result>) => Promise<Result>) =>
    (work: TransactionWork<Result>) => {
      const fault = current();
      if (fault === 'broken') return Promise.reject(new Error('the disk is gone'));
      if (fault === 'busy') return Promise.reject(new StorageBusyError('locked'));
      return run(work);
    };
  return {
    ...storage,
    forStore: (storeId) => {
      const { read, write, change } = storage.forStore(storeId);
      return {
        read: spoil(read) as typeof read,
        write: spoil(write) as typeof write,
        change: spoil(change) as typeof change,
      };
    },
  };
}

// Each answer is checked against the document as well: see expectConformance.
test.each(servedOperations.map((operation) => [operation.id, operation] as const))(
  'openapi.json declares for %s the scope and just the statuses that the service answers with',
  async (id, operation) => {
    const storage = await openTestStorage(':memory:');
    const {
      scope,
      example,
      success = [200],
      versioned,
    } = operation.service as typeof operation.service & {
      example?: object;
      success?: readonly number[];
      versioned?: true;
    };
    const declared = paths[operation.path]?.[operation.method.toLowerCase()];
    const { service, storeId, authorization } = await startExample(storage, [scope]);
    const backupId = await makeBackup(service, storeId);
    const postId = await findPost(service, storeId);
    const made: Partial<Record<ServedId, string>> = {
      'backup.restore': backupId,
      'backup.show': backupId,
      'blog.show': postId,
    };
    const target = made[id] ?? targets[id] ?? '';
    const path = operation.path.replace('{storeId}', storeId).replace(/\{\w+\}/, target);
    const seen: number[] = [];
    const ask = async (options: CallOptions = {}, through: Service = service, to = path) => {
      const headers = { authorization, ...options.headers };
      // Another key, since the stored answer to an old one would be sent again.
      const body = operation.class === 'keyed' ? { ...example, idempotencyKey: `${seen.length}` } : example;
      const { status } = await through.send(operation.method, to, body, { ...options, headers });
      seen.push(status);
    };

    for (const _ of success) await ask();
    if (success.length === 2) expect(seen).toEqual([201, 200]);
    await ask({ headers: { authorization: '' } });
    const other = await createKey(storage, { storeId, scopes: [] });
    await ask({ headers: { authorization: `Bearer ${other.key}` } });
    await ask({}, service, operation.path.replace('{storeId}', 'other').replace(/\{\w+\}/, target));
    if (operation.body !== null) {
      await ask({ raw: '{' });
      await ask({ raw: `{"a":"${'x'.repeat(2 ** 21)}"}` });
      await ask({ headers: { 'content-type': 'text/plain' } });
      await ask({ raw: '{"nope":1}' });
    }
    if ('isAddition' in operation) await ask({}, service, `${path}?nope=1`);
    if (versioned && operation.class !== 'read') await ask({ headers: { 'if-match': '"old"' } });
    const conflict = await prepareConflict(id, service, storeId);
    if (conflict !== null)
      await ask({
        raw: JSON.stringify({
          ...conflict,
          ...(operation.class === 'keyed' && { idempotencyKey: 'conflict' }),
        }),
      });
    let fault: Fault = 'none';
    const faulty = await openService({ storage: withFaults(storage, () => fault) });
    for (fault of ['broken', 'busy'] as const) {
      await ask({}, faulty);
    }
    const hurried = await openService({ storage, rateLimit: { perSecond: 0.001, burst: 1 } });
    await ask({}, hurried);
    await ask({}, hurried);

    expect(declared?.['x-required-scope']).toBe(scope);
    // 431 is the answer of the connection: see listen.test.ts.
    expect([...new Set([...seen, 431])].map(String).sort()).toEqual(
      Object.keys(declared?.responses ?? {}).filter((status) => status !== 'default'),
    );
  },
);

test('every code of a refusal is declared with its status', () => {
  expect(describeService('1.2.3')).toMatchObject({
    components: { schemas: { Problem: { properties: { code: { enum: Object.keys(problems) } } } } },
  });
});

/** A body that what is already there refuses, null where there is none. */
async function prepareConflict(id: ServedId, service: Service, storeId: string): Promise<object | null> {
  switch (id) {
    case 'blog.create':
      return createBlogPost.service.example;
    case 'notify.add-endpoint':
      return addEndpoint.service.example;
    case 'disputes.decide':
      return { status: 'lost', resolution: 'Another decision' };
    case 'reclaim.appeal':
      return { text: 'Another appeal' };
    case 'store.update':
      return { slug: service.store.slug };
    case 'backup.restore': {
      // The slug in the backup now belongs to the other store.
      const rename = (store: string, slug: string) =>
        service.storage.write((db) =>
          db.updateTable('stores').set({ slug }).where('id', '=', store).execute(),
        );
      await rename(storeId, 'moved');
      await rename(service.storeId, 'juniper-ink');
      return { sections: ['store'] };
    }
    default:
      return null;
  }
}

async function makeBackup(service: Service, storeId: string): Promise<string> {
  const { key } = await createKey(service.storage, { storeId, preset: 'owner' });
  const body = { label: 'x', sections: ['blog', 'store'], idempotencyKey: 'x' };
  const headers = { authorization: `Bearer ${key}` };
  const path = `/v1/stores/${storeId}/operations/backups`;
  return (await service.send('POST', path, body, { headers })).body.id;
}

/** Id of a post of the example store. */
async function findPost({ storage }: Service, storeId: string): Promise<string> {
  const posts = storage
    .forStore(storeId)
    .read((db) =>
      db.selectFrom('posts').select('id').where('storeId', '=', storeId).executeTakeFirstOrThrow(),
    );
  return (await posts).id;
}
