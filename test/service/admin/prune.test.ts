import { expect, onTestFinished, test, vi } from 'vitest';
import { prune, pruneDaily } from '../../../src/service/admin/prune.ts';
import { daysInMs, timestamp } from '../../../src/service/model/time.ts';
import { recordEvent } from '../../../src/service/operations/record-event.ts';
import type { Queries } from '../../../src/service/storage/core/storage.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { openService, type Service } from '../helpers/service.ts';

const daysAgo = (days: number) => timestamp(Date.now() - daysInMs(days));

/** Emits an event some days ago and moves its delivery to a state. */
async function emit(
  service: Service,
  days: number,
  status: 'delivered' | 'dead' | 'pending',
  isRead: boolean,
) {
  const now = Date.now() - daysInMs(days);
  return service.inStore(async (work) => {
    const id = await recordEvent({ ...work, now }, 'feedback_digest', {});
    const settledAt = status === 'pending' ? null : timestamp(now);
    await work.db.updateTable('deliveries').set({ status, settledAt }).where('eventId', '=', id).execute();
    if (isRead)
      await work.db
        .updateTable('events')
        .set({ readAt: timestamp(now) })
        .where('id', '=', id)
        .execute();
    return id;
  });
}

const ids = async (service: Service, table: 'events' | 'backups' | 'apiKeys') =>
  (await rowsOf(service, table, 'id')).map(({ id }) => id);

const eventsOfDeliveries = async (service: Service) =>
  (await rowsOf(service, 'deliveries', 'eventId')).map(({ eventId }) => eventId);

test('what is past its retention is removed; what is new, unread, undelivered or dead is kept', async () => {
  const service = await openService();
  await service.call('notify.add-endpoint', '', {
    kind: 'discord',
    name: 'Team',
    url: 'https://discord.com/api/webhooks/7/secret',
    events: ['feedback_digest'],
  });
  const old = await emit(service, 91, 'delivered', true);
  const unread = await emit(service, 91, 'delivered', false);
  const dead = await emit(service, 91, 'dead', true);
  const pending = await emit(service, 91, 'pending', true);
  const recent = await emit(service, 89, 'delivered', true);

  const counts = { deliveries: 2, notifications: 1, keys: 0, backups: 0, answers: 0, deleted: 0 };
  expect(await prune(service.storage, { retentionDays: 90, dryRun: true })).toEqual(counts);
  expect(await ids(service, 'events')).toContain(old);
  expect(await prune(service.storage, { retentionDays: 90 })).toEqual(counts);
  expect(await ids(service, 'events')).toEqual([unread, dead, pending, recent].sort());
  expect(await eventsOfDeliveries(service)).toEqual([dead, pending, recent].sort());
  expect(await prune(service.storage, { retentionDays: 90 })).toMatchObject({
    deliveries: 0,
    notifications: 0,
  });
});

test('expired keys and answers are removed, and backups only when they are named', async () => {
  const service = await openService();
  const backup = { label: 'x', sections: ['store', 'settings'], idempotencyKey: 'k' };
  expect((await service.call('backup.create', '', backup)).status).toBe(201);
  const age = (db: Queries) =>
    Promise.all([
      db
        .updateTable('backups')
        .set({ createdAt: daysAgo(91) })
        .execute(),
      db
        .updateTable('idempotencyKeys')
        .set({ expiresAt: daysAgo(1) })
        .execute(),
      db
        .updateTable('apiKeys')
        .set({ expiresAt: daysAgo(91) })
        .execute(),
    ]);
  await service.storage.write(age);
  expect(await prune(service.storage, { retentionDays: 90, dryRun: true })).toMatchObject({
    keys: 1,
    answers: 1,
  });
  expect(await prune(service.storage, { retentionDays: 90 })).toMatchObject({
    keys: 1,
    answers: 1,
    backups: 0,
  });
  expect(await ids(service, 'backups')).toHaveLength(1);
  expect(await prune(service.storage, { retentionDays: 90, backups: true })).toMatchObject({ backups: 1 });
  expect([...(await ids(service, 'backups')), ...(await ids(service, 'apiKeys'))]).toEqual([]);
});

test('more rows than a step takes are removed, of one store or of all', async () => {
  const service = await openService();
  const other = await openService({ storage: service.storage });
  const fill = ({ inStore }: Service, count: number) =>
    inStore(async (work) => {
      const past = { ...work, now: Date.now() - daysInMs(91) };
      for (let index = 0; index < count; index++) await recordEvent(past, 'feedback_digest', {});
      await work.db
        .updateTable('events')
        .set({ readAt: daysAgo(91) })
        .execute();
    });
  await fill(service, 1_101);
  await fill(other, 3);
  // The newest of each store stays: events are counted on from it.
  const { storage, storeId } = service;
  expect(await prune(storage, { retentionDays: 90, storeId })).toMatchObject({ notifications: 1_100 });
  expect(await prune(storage, { retentionDays: 90 })).toMatchObject({ notifications: 2 });
});

test('a running service prunes by itself and logs it, until it is stopped', async () => {
  const service = await openService();
  await service.storage.write((db) =>
    db
      .updateTable('apiKeys')
      .set({ expiresAt: daysAgo(91) })
      .execute(),
  );
  const log = vi.fn();
  const daily = pruneDaily({ storage: service.storage, retentionDays: 90, log, firstMs: 1 });
  onTestFinished(daily.stop);
  await vi.waitFor(() => expect(log).toHaveBeenCalled(), { timeout: 30_000 });
  expect(log.mock.calls).toEqual([[expect.objectContaining({ level: 'info', retentionDays: 90, keys: 1 })]]);
  await daily.stop();
});
