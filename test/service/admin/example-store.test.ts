import { expect, test } from 'vitest';
import { createApp, createKey, describeStore, seedExampleStore } from '../../../src/service/index.ts';
import { openTestStorage, toFetch } from '../helpers/service.ts';

test('the example store has what every operation needs', async () => {
  const storage = await openTestStorage();
  const example = await seedExampleStore(storage);
  expect(example.disputes.map((dispute) => dispute.status)).toEqual(['won', 'open']);
  expect(example.reclaims).toMatchObject([{ status: 'noticed' }]);
  expect(example.notifications.filter((notification) => !notification.read)).toHaveLength(3);
  expect(example.posts).toHaveLength(2);
  expect(example.endpoints).toMatchObject([{ url: expect.stringMatching(/\/\*\*\*$/) }]);
  expect(example.backups).toEqual([]);
});

test('its open dispute has four kinds of evidence and deadlines ahead', async () => {
  const storage = await openTestStorage();
  const { storeId, disputes } = await seedExampleStore(storage);
  const { key } = await createKey(storage, { storeId, preset: 'owner', kind: 'demo' });
  const app = toFetch(createApp({ storage, version: '1' }));
  const open = disputes.find((dispute) => dispute.status === 'open');
  const url = `http://service.test/v1/stores/${storeId}/operations/disputes/${open?.id}`;
  const response = await app(new Request(url, { headers: { authorization: `Bearer ${key}` } }));
  const { record, evidence } = JSON.parse(await response.text());
  const now = new Date().toISOString();
  expect(evidence.map((item: { kind: string }) => item.kind)).toEqual([
    'tracking_number',
    'email_thread',
    'photo',
    'policy',
  ]);
  expect(record.deadlineAt > now && record.appealDeadlineAt > record.deadlineAt).toBe(true);
  expect(evidence.every((item: { createdAt: string }) => item.createdAt < now)).toBe(true);
});

test('seeding again keeps later changes', async () => {
  const storage = await openTestStorage();
  const { storeId } = await seedExampleStore(storage);
  const { key } = await createKey(storage, { storeId, preset: 'owner' });
  const app = toFetch(createApp({ storage, version: '1' }));
  const backup = { label: 'mine', sections: ['store', 'blog'], idempotencyKey: 'k' };
  const response = await app(
    new Request(`http://service.test/v1/stores/${storeId}/operations/backups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(backup),
    }),
  );
  expect(response.status).toBe(201);
  const again = await seedExampleStore(storage);
  expect(again.backups).toMatchObject([{ label: 'mine', sections: ['store', 'blog'] }]);
  expect(await describeStore(storage, storeId)).toEqual(again);
});
