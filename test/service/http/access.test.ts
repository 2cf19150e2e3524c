import { expect, test } from 'vitest';
import { type ServedId, servedOperations } from '../../../src/contract/operations/operations.ts';
import { createKey, presets, revokeKey, type Scope, scopes } from '../../../src/service/index.ts';
import { createId } from '../../../src/service/model/ids.ts';
import { insert } from '../../../src/service/storage/core/statement.ts';
import { type Answer, openService, type Service } from '../helpers/service.ts';

const neededScope: Record<ServedId, Scope> = {
  'store.update': 'store:write',
  'blog.create': 'blog:write',
  'disputes.decide': 'disputes:decide',
  'settings.show': 'settings:read',
  'settings.save': 'settings:write',
  'disputes.open': 'disputes:write',
  'disputes.show': 'disputes:read',
  'backup.create': 'backups:write',
  'backup.restore': 'backups:restore',
  'reclaim.appeal': 'reclaims:appeal',
  'notify.add-endpoint': 'notifications:write',
  'notify.mark-read': 'notifications:write',
  'store.show': 'store:read',
  'blog.list': 'blog:read',
  'blog.show': 'blog:read',
  'disputes.list': 'disputes:read',
  'backup.list': 'backups:read',
  'backup.show': 'backups:read',
  'reclaim.list': 'reclaims:read',
  'notify.list': 'notifications:read',
  'notify.inbox': 'notifications:read',
};

/** A body that the operation accepts repeatedly. */
function bodyOf(operation: ServedId): object | undefined {
  const once = { idempotencyKey: createId() };
  const webhook = `https://discord.com/api/webhooks/1/${createId()}`;
  const bodies: Partial<Record<ServedId, object>> = {
    'store.update': { name: createId() },
    'blog.create': { title: createId(), contentMd: 'x' },
    'disputes.decide': { status: 'won', resolution: 'x' },
    'settings.save': { discovery: { summary: createId() } },
    'disputes.open': { kind: 'payment', reason: 'x', ...once },
    'backup.create': { label: 'x', sections: ['store'], ...once },
    // Removes endpoints again, because a store can have only 20.
    'backup.restore': { sections: ['endpoints'], ...once },
    'reclaim.appeal': { text: 'x' },
    'notify.add-endpoint': { kind: 'discord', name: 'x', url: webhook, events: ['post_created'] },
    'notify.mark-read': {},
  };
  return bodies[operation];
}

interface Objects {
  readonly storeId: string;
  readonly targets: Partial<Record<ServedId, string>>;
}

/** Creates the objects that operations need. */
async function makeObjects(service: Service): Promise<Objects> {
  const dispute = (await service.call('disputes.open', '', bodyOf('disputes.open'))).body.id;
  const sections = ['store', 'endpoints'];
  const backup = { label: 'x', sections, idempotencyKey: 'k' };
  const backupId = (await service.call('backup.create', '', backup)).body.id;
  const postId = (await service.call('blog.create', '', bodyOf('blog.create'))).body.id;
  const reclaim = createId();
  await service.inStore((work) => {
    const notice = {
      id: reclaim,
      subdomain: 'x',
      reason: 'y',
      status: 'noticed',
      createdAt: '2030-03-01T12:00:00.000Z',
    };
    return insert(work, 'subdomainReclaims', { ...notice, appealText: null, appealedAt: null });
  });
  return {
    storeId: service.storeId,
    targets: {
      'disputes.show': dispute,
      'disputes.decide': dispute,
      'backup.restore': backupId,
      'backup.show': backupId,
      'blog.show': postId,
      'reclaim.appeal': reclaim,
    },
  };
}

/** Two stores of one service, each with what the operations need. */
async function startStores() {
  const service = await openService();
  const other = await openService({ storage: service.storage });
  const own = await makeObjects(service);
  const foreign = await makeObjects(other);
  const absentTargets = Object.fromEntries(Object.keys(own.targets).map((id) => [id, createId()]));
  const absent: Objects = { storeId: createId(), targets: absentTargets };

  /** Asks for every operation, on these objects below the store of the path. */
  async function askAll(key: string, { storeId }: Pick<Objects, 'storeId'>, { targets }: Objects) {
    const answers = new Map<ServedId, Answer>();
    for (const { id, method, path } of servedOperations) {
      const url = path.replace('{storeId}', storeId).replace(/\{\w+\}/, targets[id] ?? '');
      const headers = { authorization: `Bearer ${key}` };
      // A client that sends more than ten unknown keys a second is refused.
      service.clock.now += 100;
      answers.set(id, await service.send(method, url, bodyOf(id), { headers }));
    }
    return answers;
  }
  return { service, other, own, foreign, absent, askAll };
}

/** All that a client can see of an answer but its request id. */
function visible({ status, headers, body }: Answer) {
  const { 'x-request-id': _, ...rest } = Object.fromEntries(headers);
  // The id in the text is the request's.
  const detail = body.detail?.replace(/[0-9a-f-]{36}/, 'ID');
  return { status, headers: rest, body: { ...body, detail, requestId: undefined } };
}

const grants: [string, readonly Scope[]][] = [
  ...Object.entries(presets),
  ...scopes.map((scope): [string, Scope[]] => [scope, [scope]]),
  ['nothing', []],
];

test('each preset and scope allows its operations on its own store and nothing else', async () => {
  const { service, own, foreign, absent, askAll } = await startStores();
  for (const [name, granted] of grants) {
    const { key } = await createKey(service.storage, { storeId: service.storeId, scopes: granted });
    const onOwn = await askAll(key, own, own);
    const onForeign = await askAll(key, foreign, foreign);
    const onAbsent = await askAll(key, absent, absent);
    const foreignObjects = await askAll(key, own, foreign);
    const absentObjects = await askAll(key, own, absent);

    for (const { id } of servedOperations) {
      const where = `${id} with ${name}`;
      const isAllowed = granted.includes(neededScope[id]);
      const status = onOwn.get(id)?.status;
      expect(isAllowed ? [200, 201] : [403], where).toContain(status);

      const seen = [onForeign, onAbsent, foreignObjects, absentObjects].map((answers) => {
        const answer = answers.get(id);
        if (answer === undefined) throw new Error(where);
        return visible(answer);
      });
      expect(seen[0]?.status, where).toBe(404);
      expect(seen[0], where).toEqual(seen[1]);
      if (own.targets[id] === undefined) continue;
      expect(seen[2]?.status, where).toBe(isAllowed ? 404 : 403);
      expect(seen[2], where).toEqual(seen[3]);
    }
  }
}, 120_000);

test('an expired, revoked, mistyped or unknown key opens nothing, and its error says nothing about any store', async () => {
  const { service, own, foreign, absent, askAll } = await startStores();
  const { storage, storeId } = service;
  const expired = await createKey(storage, { storeId, preset: 'owner', expiresInSeconds: 0 });
  const revoked = await createKey(storage, { storeId, preset: 'owner' });
  await revokeKey(storage, revoked.id);
  const last = service.key.slice(-1);
  const mistyped = service.key.slice(0, -1) + (last === '0' ? '1' : '0');
  const unknown = 'sk_live_K3y1dForTest_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG2B7Mwa';

  const seen = [];
  for (const key of [expired.key, revoked.key, mistyped, unknown]) {
    for (const objects of [own, foreign, absent]) {
      for (const answer of (await askAll(key, objects, objects)).values()) seen.push(visible(answer));
    }
  }
  expect(seen).toHaveLength(4 * 3 * servedOperations.length);
  expect(seen[0]).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer' },
    body: { code: 'invalid_key' },
  });
  for (const answer of seen) expect(answer).toEqual(seen[0]);
});

test('requests for another store change nothing there', async () => {
  const { service, other, own, foreign, askAll } = await startStores();
  const rowsOf = (storeId: string) =>
    service.storage.forStore(storeId).read(async (db) => ({
      store: await db.selectFrom('stores').selectAll().where('id', '=', storeId).execute(),
      disputes: await db.selectFrom('disputes').selectAll().where('storeId', '=', storeId).execute(),
      reclaims: await db.selectFrom('subdomainReclaims').selectAll().where('storeId', '=', storeId).execute(),
      events: await db.selectFrom('events').selectAll().where('storeId', '=', storeId).execute(),
    }));
  const before = await rowsOf(other.storeId);
  await askAll(service.key, foreign, foreign);
  await askAll(service.key, own, foreign);
  expect(await rowsOf(other.storeId)).toEqual(before);
});
