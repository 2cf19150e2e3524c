import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { formatKey } from '../../../src/contract/api-key.ts';
import { createKey, revokeKey } from '../../../src/service/index.ts';
import { openService } from '../helpers/service.ts';

/** A key that nobody was given, whose checksum is right. */
function forgeKey(): string {
  const word = (length: number) => randomBytes(length).toString('hex').slice(0, length);
  return formatKey({ kind: 'live', id: word(12), secret: word(43) });
}

async function startWithAddresses() {
  const service = await openService();
  const show = async (key: string, address = '203.0.113.7') => {
    const headers = { authorization: `Bearer ${key}`, 'x-test-address': address };
    return (await service.call('settings.show', '', undefined, { headers })).status;
  };
  const forge = async (count: number, address?: string) => {
    const statuses: number[] = [];
    for (let number = 0; number < count; number++) statuses.push(await show(forgeKey(), address));
    return statuses;
  };
  return { service, show, forge };
}

test('of one address, ten unknown keys a second are looked up, and more get 429', async () => {
  const { service, forge } = await startWithAddresses();
  expect(await forge(12)).toEqual([...Array(10).fill(401), 429, 429]);
  expect(await forge(1, '203.0.113.8')).toEqual([401]);
  service.clock.now += 1_000;
  expect(await forge(11)).toEqual([...Array(10).fill(401), 429]);

  const headers = { authorization: `Bearer ${forgeKey()}`, 'x-test-address': '203.0.113.7' };
  const limited = await service.call('settings.show', '', undefined, { headers });
  expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(limited.headers.get('retry-after')).toBe('1');
});

test('an IPv6 network of 64 bits counts as one address', async () => {
  const { forge } = await startWithAddresses();
  expect(await forge(10, '2001:db8:1:2::1')).toEqual(Array(10).fill(401));
  expect(await forge(1, '2001:db8:1:2:ffff::2')).toEqual([429]);
  expect(await forge(1, '2001:db8:1:3::1')).toEqual([401]);
  expect(await forge(1, '::1')).toEqual([401]);
});

test('a key that was accepted a minute ago at most is answered beside unknown ones', async () => {
  const { service, show, forge } = await startWithAddresses();
  const second = await createKey(service.storage, { storeId: service.storeId, preset: 'owner' });
  expect(await show(service.key)).toBe(200);
  await forge(10);
  expect(await show(service.key)).toBe(200);
  expect(await show(second.key)).toBe(429);
  service.clock.now += 60_001;
  await forge(10);
  expect(await show(service.key)).toBe(429);
});

test('a revoked key counts as unknown', async () => {
  const { service, show } = await startWithAddresses();
  const { key, id } = await createKey(service.storage, { storeId: service.storeId, preset: 'owner' });
  expect(await show(key)).toBe(200);
  await revokeKey(service.storage, id);
  const statuses: number[] = [];
  for (let number = 0; number < 12; number++) statuses.push(await show(key));
  // The first was remembered.
  expect(statuses).toEqual([...Array(11).fill(401), 429]);
});

test('many new keys at once from one address are all accepted, and of as many unknown ones ten are looked up', async () => {
  const { service, show } = await startWithAddresses();
  const keys: string[] = [];
  for (let number = 0; number < 64; number++) {
    keys.push((await createKey(service.storage, { storeId: service.storeId, preset: 'owner' })).key);
  }
  expect(await Promise.all(keys.map((key) => show(key)))).toEqual(Array(64).fill(200));
  const forged = await Promise.all(Array.from({ length: 64 }, () => show(forgeKey())));
  expect(forged.filter((status) => status === 401)).toHaveLength(10);
  expect(forged.filter((status) => status === 429)).toHaveLength(54);
});
