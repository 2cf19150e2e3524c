import { expect, onTestFinished, test, vi } from 'vitest';
import { startReplicatedPair } from '../../../helpers/postgres.ts';
import { openService, openTestStorage } from '../../helpers/service.ts';

test('after a failover to a synchronous standby no acknowledged change is lost, and the service goes on without a restart', async () => {
  const pair = await startReplicatedPair();
  onTestFinished(pair.stop);
  const service = await openService({ storage: await openTestStorage(pair.url) });
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let isOver = false;
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let index = 0; !isOver; index++) {
      const body = { kind: 'payment', reason: 'x', idempotencyKey: `${client}-${index}` };
      const answer = await service.call('disputes.open', '', body);
      statuses.add(answer.status);
      if (answer.status === 201) acknowledged.push(answer.body.id);
      if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('1');
    }
  });
  const more = (than: number) =>
    vi.waitUntil(() => acknowledged.length > than, { timeout: 120_000, interval: 5 });
  await more(50);
  await pair.primary.stop('SIGQUIT');
  const before = acknowledged.length;
  // Only the standby is there, and nothing leads to it.
  expect(await service.send('GET', '/readyz')).toMatchObject({ status: 503, body: { code: 'busy' } });
  expect((await service.call('settings.show', '')).status).toBe(503);
  expect((await service.send('GET', '/healthz')).status).toBe(200);
  await pair.promote();
  await more(before + 50);
  isOver = true;
  await Promise.all(clients);

  expect([...statuses].filter((status) => ![201, 503].includes(status))).toEqual([]);
  expect((await service.send('GET', '/readyz')).status).toBe(200);
  const rows = await service.storage.read((db) => db.selectFrom('disputes').select('id').execute());
  const stored = new Set(rows.map(({ id }) => id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
});
