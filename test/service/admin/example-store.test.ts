import { expect, test } from 'vitest';
import { createApp, createKey, seedExampleStore } from '../../../src/service/index.ts';
import { openTestStorage, toFetch } from '../helpers/service.ts';

test('seeding again keeps later changes', async () => {
  const storage = await openTestStorage();
  const { storeId } = await seedExampleStore(storage);
  const { key } = await createKey(storage, { storeId, preset: 'owner' });
  const app = toFetch(createApp({ storage, version: '1' }));
  const response = await app(
    new Request(`http://service.test/v1/stores/${storeId}/operations/backups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'mine', sections: ['store', 'blog'], idempotencyKey: 'k' }),
    }),
  );
  expect(response.status).toBe(201);
  const again = await seedExampleStore(storage);
  expect(again.backups).toMatchObject([{ label: 'mine', sections: ['store', 'blog'] }]);
});
