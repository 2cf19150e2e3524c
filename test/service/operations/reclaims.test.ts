import { expect, test } from 'vitest';
import { createId } from '../../../src/service/model/ids.ts';
import { insert } from '../../../src/service/storage/core/statement.ts';
import { faults, listEvents, openService, type Service } from '../helpers/service.ts';

async function addNotice(service: Service): Promise<string> {
  const id = createId();
  await service.inStore((work) =>
    insert(work, 'subdomainReclaims', {
      id,
      subdomain: 'my-shop',
      reason: 'Trade mark',
      status: 'noticed',
      appealText: null,
      appealedAt: null,
      createdAt: '2030-02-01T00:00:00.000Z',
    }),
  );
  return id;
}

test('a notice takes one appeal', async () => {
  const service = await openService();
  const reclaimId = await addNotice(service);
  const appeal = {
    reclaimId,
    status: 'appealed',
    text: 'It is our name',
    appealedAt: '2030-03-01T12:00:00.000Z',
  };

  const first = await service.call('reclaim.appeal', reclaimId, { text: 'It is our name' });
  expect(first).toMatchObject({ status: 201, body: appeal });
  expect(Object.keys(first.body)).toEqual(Object.keys(appeal));

  service.clock.now += 60_000;
  const again = await service.call('reclaim.appeal', reclaimId, { text: 'It is our name' });
  expect(again).toMatchObject({ status: 200, body: appeal });
  const other = await service.call('reclaim.appeal', reclaimId, { text: 'Really' });
  expect(other).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  expect(await listEvents(service)).toEqual([
    { type: 'reclaim_appealed', data: { reclaimId, subdomain: 'my-shop', text: 'It is our name' } },
  ]);
});

test('an appeal needs a notice and a text', async () => {
  const service = await openService();
  const reclaimId = await addNotice(service);
  expect(faults(await service.call('reclaim.appeal', reclaimId, {}))).toEqual(['/text required']);
  const tooLong = await service.call('reclaim.appeal', reclaimId, { text: 'x'.repeat(5001) });
  expect(faults(tooLong)).toEqual(['/text too_long']);
  const absent = await service.call('reclaim.appeal', createId(), { text: 'x' });
  expect(absent).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
