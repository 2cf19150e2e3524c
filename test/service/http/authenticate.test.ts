import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { formatKey, isWellFormedKey, keyIdOf } from '../../../src/contract/api-key.ts';
import { createKey, deleteExpiredKeys, openStorage } from '../../../src/service/index.ts';
import { openService, temporaryFile } from '../helpers/service.ts';

function withKey(key: string) {
  return { headers: { authorization: `Bearer ${key}` } };
}

test('without a key every operation gets missing_key', async () => {
  const service = await openService();
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

test('a key with the id of another key and another secret is refused', async () => {
  const service = await openService();
  const forged = formatKey({ kind: 'live', id: service.keyId, secret: 'A'.repeat(43) });
  expect(isWellFormedKey(forged)).toBe(true);
  const answer = await service.call('settings.show', '', undefined, withKey(forged));
  expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_key' } });
});

test('a key expires after its lifetime and can then be deleted', async () => {
  const service = await openService();
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
  const service = await openService({ storage });
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
  const { storage, storeId, key: live } = await openService();
  const { key, id } = await createKey(storage, { storeId, preset: 'owner', kind: 'demo' });
  expect(key).toMatch(/^sk_demo_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
  expect(live).toMatch(/^sk_live_/);
  expect([key, live].map(isWellFormedKey)).toEqual([true, true]);
  expect(keyIdOf(key)).toBe(id);
  for (let index = 0; index < key.length; index++) {
    const replacement = key[index] === 'x' ? 'y' : 'x';
    expect(isWellFormedKey(key.slice(0, index) + replacement + key.slice(index + 1))).toBe(false);
  }
  for (const text of ['', ' ', key.slice(1), `${key} `, `${key}\n`, key.toUpperCase(), `${key}a`]) {
    expect(isWellFormedKey(text)).toBe(false);
  }
});

test('the checksum is the CRC-32 that other programs compute', () => {
  const key = 'sk_live_K3y1dForTest_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG2B7Mwa';
  expect(isWellFormedKey(key)).toBe(true);
});
