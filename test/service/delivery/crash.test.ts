import { once } from 'node:events';
import { afterAll, expect, test, vi } from 'vitest';
import { listDeliveries } from '../../../src/service/admin/deliveries.ts';
import { recordEvent } from '../../../src/service/operations/record-event.ts';
import { type Reaction, startDiscordReceiver, taken } from '../../helpers/discord-receiver.ts';
import { startPostgres } from '../../helpers/postgres.ts';
import { newProgramMachine } from '../../helpers/program.ts';
import { openService, openTestStorage, temporaryFile } from '../helpers/service.ts';

/** Kills the service with SIGKILL once this many messages have come, and starts it again. */
async function deliverAcrossKill(
  database: string,
  killAt: number,
  reaction: (killed: Promise<unknown>) => Reaction,
) {
  const service = await openService({ storage: await openTestStorage(database) });
  // The program's own clock is the real one.
  service.clock.now = Date.now();
  const receiver = await startDiscordReceiver();
  const webhooks = ['1', '2', '3'];
  for (const webhook of webhooks) {
    const url = `https://discord.com/api/webhooks/${webhook}/x`;
    const endpoint = { kind: 'discord', name: webhook, url, events: ['feedback_digest'] };
    await service.call('notify.add-endpoint', '', endpoint);
  }
  const eventIds: string[] = [];
  for (let number = 0; number < 10; number++) {
    eventIds.push(
      await service.inStore((work) => recordEvent(work, 'feedback_digest', { summary: String(number) })),
    );
  }

  const machine = newProgramMachine();
  const args = ['service', 'start', '--port', '0', '--database', database, '--delivery-sink', receiver.url];
  const first = machine.start(args);
  const killed = once(first.process, 'exit');
  for (const webhook of webhooks) receiver.script(webhook, [reaction(killed)]);
  await receiver.received(killAt);
  first.process.kill('SIGKILL');
  await killed;
  for (const webhook of webhooks) receiver.script(webhook, [taken]);

  const second = machine.start(args);
  await second.shown(/Listening on/);
  await vi.waitFor(
    async () => {
      const deliveries = await listDeliveries(service.storage, { limit: 100 });
      expect(deliveries.filter(({ state }) => state !== 'delivered').length, second.stderr()).toBe(0);
    },
    { timeout: 120_000, interval: 100 },
  );
  second.process.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ exitCode: 0 });

  const received = webhooks.map((webhook) => receiver.messages(webhook).map(({ eventId }) => eventId));
  return { eventIds, received };
}

const cluster = await startPostgres();
afterAll(() => cluster.stop());

test('kill -9 between sending and storing: nothing is lost, and duplicates have the same id', async () => {
  const newFile = () => temporaryFile('service.db');
  const newDatabase = async () => (await cluster.createDatabase()).url;
  const ways: [killAt: number, reaction: (killed: Promise<unknown>) => Reaction][] = [
    // Before any answer, and in the middle, right after one.
    [3, (killed) => ({ does: 'wait', until: killed })],
    [14, () => taken],
  ];
  const runs = await Promise.all(
    [newFile, newDatabase].flatMap((locate) =>
      ways.map(async ([killAt, reaction]) => ({
        ...(await deliverAcrossKill(await locate(), killAt, reaction)),
        isCertainToRepeat: killAt === 3,
      })),
    ),
  );

  for (const { eventIds, received, isCertainToRepeat } of runs) {
    for (const ids of received) {
      expect([...new Set(ids)]).toEqual(eventIds);
      // One message of each endpoint was under way, and so may come twice.
      expect(ids.length).toBeLessThanOrEqual(eventIds.length + 1);
      if (isCertainToRepeat) expect(ids.length).toBe(eventIds.length + 1);
    }
  }
});
