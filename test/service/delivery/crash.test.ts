import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { listDeliveries } from '../../../src/service/delivery/operate.ts';
import { recordEvent } from '../../../src/service/events.ts';
import { type Reaction, startDiscordReceiver, taken } from '../../helpers/discord-receiver.ts';
import { newProgramMachine } from '../../helpers/program.ts';
import { openTestStorage, startService, temporaryFile } from '../helpers/service.ts';

/** Kills the service with SIGKILL once this many messages have come, and starts it again. */
async function deliverAcrossKill(killAt: number, reaction: (killed: Promise<unknown>) => Reaction) {
  const database = await temporaryFile('service.db');
  const service = await startService({ storage: await openTestStorage(database) });
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
  await vi.waitFor(
    async () => {
      const deliveries = await listDeliveries(service.storage, { limit: 100 });
      expect(deliveries.filter(({ state }) => state !== 'delivered')).toEqual([]);
    },
    { timeout: 15_000, interval: 100 },
  );
  second.process.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ exitCode: 0 });

  const received = webhooks.map((webhook) => receiver.messages(webhook).map(({ eventId }) => eventId));
  return { eventIds, received };
}

test('kill -9 between sending and recording: nothing is lost, and a repetition has the same id', async () => {
  const runs = await Promise.all([
    // Before any answer, after the first one, and in the middle.
    deliverAcrossKill(3, (killed) => ({ does: 'wait', until: killed })),
    deliverAcrossKill(1, () => taken),
    deliverAcrossKill(14, () => taken),
  ]);

  for (const { eventIds, received } of runs) {
    for (const ids of received) {
      expect([...new Set(ids)]).toEqual(eventIds);
      // One message of each endpoint was under way, and so may come twice.
      expect(ids.length).toBeLessThanOrEqual(eventIds.length + 1);
    }
  }
  expect(runs[0]?.received.map((ids) => ids.length)).toEqual([11, 11, 11]);
});
