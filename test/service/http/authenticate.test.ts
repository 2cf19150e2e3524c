import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { formatKey, isWellFormedKey, parseKey } from '../../../src/contract/api-key.ts';
import { type OperationId, operations } from '../../../src/contract/operations.ts';
import {
  createKey,
  deleteExpiredKeys,
  openStorage,
  type Preset,
  presets,
  revokeKey,
} from '../../../src/service/index.ts';
import { createId } from '../../../src/service/model/ids.ts';
import { type Service, startService, temporaryFile } from '../helpers/service.ts';

function withKey(key: string) {
  return { headers: { authorization: `Bearer ${key}` } };
}

/** The status of an operation that is asked for with this key and an empty body. */
async function statusOf(service: Service, id: OperationId, key: string): Promise<number> {
  const body = id.endsWith('.show') ? undefined : {};
  return (await service.call(id, createId(), body, withKey(key))).status;
}

test('a preset allows its operations and no others', async () => {
  const service = await startService();
  const allowed: Record<Preset, OperationId[]> = {
    owner: operations.map(({ id }) => id),
    'ci-backup': ['backup.create'],
    support: ['disputes.decide', 'disputes.open', 'disputes.show'],
  };
  for (const preset of Object.keys(presets) as Preset[]) {
    const { key } = await createKey(service.storage, { storeId: service.storeId, preset });
    const open: OperationId[] = [];
    for (const { id } of operations) if ((await statusOf(service, id, key)) !== 403) open.push(id);
    expect([preset, open]).toEqual([preset, allowed[preset]]);
  }
});

test('without a key every operation gets missing_key', async () => {
  const service = await startService();
  for (const authorization of ['', 'Basic dTpw', 'Bearer', service.key, `Token ${service.key}`]) {
    const answer = await service.call('settings.show', '', undefined, { headers: { authorization } });
    expect(answer).toMatchObject({ status: 401, body: { code: 'missing_key' } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
  const inQuery = await service.send(
    'GET',
    `/v1/stores/${service.storeId}/operations/settings?api_key=${service.key}`,
    undefined,
    {
      headers: { authorization: '' },
    },
  );
  expect(inQuery.status).toBe(401);
});

test('a mistyped, unknown, expired or revoked key gets the same refusal', async () => {
  const service = await startService();
  const { storage, storeId } = service;
  const other = await startService();
  const expired = await createKey(storage, { storeId, preset: 'owner', expiresInSeconds: 0 });
  const revoked = await createKey(storage, { storeId, preset: 'owner' });
  expect((await service.call('settings.show', '', undefined, withKey(revoked.key))).status).toBe(200);
  expect(await revokeKey(storage, revoked.id)).toBe(true);
  expect(await revokeKey(storage, revoked.id)).toBe(false);

  const keys = [mistype(service.key), other.key, expired.key, revoked.key, 'secret'];
  const answers = [];
  for (const key of keys) answers.push(await service.call('settings.show', '', undefined, withKey(key)));
  for (const { status, headers, body } of answers) {
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect({ ...body, requestId: '' }).toEqual({ ...answers[0]?.body, requestId: '' });
    expect(body.code).toBe('invalid_key');
  }
});

test('a key with the id of another key and another secret is refused', async () => {
  const service = await startService();
  const forged = formatKey({ kind: 'live', id: service.keyId, secret: 'A'.repeat(43) });
  expect(isWellFormedKey(forged)).toBe(true);
  const answer = await service.call('settings.show', '', undefined, withKey(forged));
  expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_key' } });
});

test('a key expires after its lifetime and can then be deleted', async () => {
  const service = await startService();
  const { storage, storeId } = service;
  const { key } = await createKey(storage, { storeId, preset: 'owner', expiresInSeconds: 60 });
  service.clock.now = Date.now();
  expect((await service.call('settings.show', '', undefined, withKey(key))).status).toBe(200);
  service.clock.now = Date.now() + 61_000;
  expect((await service.call('settings.show', '', undefined, withKey(key))).status).toBe(401);

  await createKey(storage, { storeId, preset: 'owner', expiresInSeconds: 0 });
  expect(await deleteExpiredKeys(storage)).toBe(1);
  expect(await deleteExpiredKeys(storage)).toBe(0);
});

test('the database files hold hashes of keys, never a key', async () => {
  const file = await temporaryFile('service.db');
  const storage = await openStorage(file);
  const service = await startService({ storage });
  await service.call('store.update', '', { name: 'Written' });
  const { key } = await createKey(storage, { storeId: service.storeId, preset: 'owner', kind: 'demo' });
  const onDisk = Buffer.concat([await readFile(file), await readFile(`${file}-wal`)]);
  await storage.close();

  expect(onDisk.includes('Written')).toBe(true);
  for (const secret of [service.key, key]) {
    expect(onDisk.includes(secret)).toBe(false);
    expect(onDisk.includes(secret.slice(-49))).toBe(false);
    expect(onDisk.includes(secret.slice(-49, -6))).toBe(false);
  }
});

test('the format of a key is checked offline', async () => {
  const { storage, storeId, key: live } = await startService();
  const { key, id } = await createKey(storage, { storeId, preset: 'owner', kind: 'demo' });
  expect(key).toMatch(/^sk_demo_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
  expect(parseKey(key)).toEqual({ kind: 'demo', id });
  expect(parseKey(live)?.kind).toBe('live');
  for (let index = 0; index < key.length; index++) {
    const replacement = key[index] === 'x' ? 'y' : 'x';
    expect(isWellFormedKey(key.slice(0, index) + replacement + key.slice(index + 1))).toBe(false);
  }
  for (const text of ['', ' ', key.slice(1), `${key} `, `${key}\n`, key.toUpperCase(), `${key}a`]) {
    expect(parseKey(text)).toBeNull();
  }
});

test('the checksum is the CRC-32 that other programs compute', () => {
  const key = 'sk_live_K3y1dForTest_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG2B7Mwa';
  expect(parseKey(key)).toEqual({ kind: 'live', id: 'K3y1dForTest' });
});

/** Two neighbours swapped, in the secret. */
function mistype(key: string): string {
  const at = [...key].findIndex((character, index) => index > 30 && character !== key[index + 1]);
  return key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
}
