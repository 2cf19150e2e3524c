import { expect, test } from 'vitest';
import { createKey, revokeKey } from '../../../src/service/index.ts';
import { openService, openTestStorage, temporaryFile } from '../helpers/service.ts';

/** A service, and another process's connection to the same database. */
async function startShared() {
  const file = await temporaryFile('service.db');
  const service = await openService({ storage: await openTestStorage(file) });
  const show = (key = service.key) =>
    service.call('settings.show', '', undefined, { headers: { authorization: `Bearer ${key}` } });
  return { file, service, show, elsewhere: await openTestStorage(file) };
}

test('a key is invalid as soon as its revocation is answered, from any process and during other requests', async () => {
  const { service, show, elsewhere } = await startShared();
  const { storeId, storage } = service;
  let isOver = false;
  // Keeps a commit of this service running all the time.
  const writers = [1, 2, 3].map(async () => {
    while (!isOver) await service.call('notify.mark-read', '', {});
  });
  const seen: number[][] = [];
  for (let round = 0; round < 40; round++) {
    const [maker, revoker] = round % 2 === 0 ? [storage, elsewhere] : [elsewhere, storage];
    const { key, id } = await createKey(maker, { storeId, preset: 'owner' });
    const before = await show(key);
    await revokeKey(revoker, id);
    seen.push([before.status, (await show(key)).status]);
  }
  isOver = true;
  await Promise.all(writers);
  expect(seen).toEqual(Array.from({ length: 40 }, () => [200, 401]));
});

test('a read after the answer of a change sees the change, also during other requests', async () => {
  const { show, service } = await startShared();
  const path = `/v1/stores/${service.storeId}/operations/settings`;
  const headers = { authorization: `Bearer ${service.key}` };
  let isOver = false;
  const readers = (async () => {
    while (!isOver) await Promise.all([show(), new Promise((resolve) => setTimeout(resolve, 0))]);
  })();
  // So that changes share commits.
  const writers = [1, 2].map(async () => {
    while (!isOver) await service.call('notify.mark-read', '', {});
  });
  const stale: string[] = [];
  for (let round = 0; round < 200; round++) {
    const start = `${String(round % 24).padStart(2, '0')}:30`;
    const quietHours = { enabled: true, start, end: '07:00', timezone: 'UTC' };
    expect((await service.send('PUT', path, { quietHours }, { headers })).status).toBe(200);
    const shown = (await show()).body.quietHours.start;
    if (shown !== start) stale.push(`${shown} instead of ${start}`);
  }
  isOver = true;
  await Promise.all([readers, ...writers]);
  expect(stale).toEqual([]);
});
