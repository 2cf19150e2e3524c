import { listDeliveries } from '../../../src/service/admin/deliveries.ts';
import { createSender, parseSink, type SenderOptions } from '../../../src/service/delivery/send.ts';
import { createDeliveryWorker, type DeliveryWorkerOptions } from '../../../src/service/delivery/worker.ts';
import { recordEvent } from '../../../src/service/operations/record-event.ts';
import { startDiscordReceiver } from '../../helpers/discord-receiver.ts';
import { openService, type Service } from '../helpers/service.ts';

export const minute = 60_000;
export const hour = 60 * minute;

export interface SceneOptions {
  /** A service on a database of its own unless given. */
  readonly service?: Service;
  readonly timeouts?: SenderOptions['timeouts'];
}

/** A store, a receiver that plays Discord, and a worker between them whose clock the test sets. */
export async function setDeliveryScene(options: SceneOptions = {}) {
  const service = options.service ?? (await openService());
  const { storage, storeId, clock } = service;
  const receiver = await startDiscordReceiver();
  const log: object[] = [];

  /** A worker of the scene. They share the database and nothing else. */
  function newWorker(own: Partial<DeliveryWorkerOptions> = {}) {
    return createDeliveryWorker({
      storage,
      send: createSender({
        sink: parseSink(receiver.url) ?? undefined,
        ...(options.timeouts && { timeouts: options.timeouts }),
      }),
      clock: () => clock.now,
      elapsed: () => clock.now,
      // The longest pauses there are.
      random: () => 1,
      log: (line) => void log.push(line),
      ...own,
    });
  }

  /** Endpoints whose webhooks have these ids. */
  async function addEndpoints(...webhooks: readonly string[]) {
    for (const webhook of webhooks) await addEndpoint(webhook);
  }

  async function addEndpoint(webhook: string, more: object = {}): Promise<string> {
    const url = `https://discord.com/api/webhooks/${webhook}/secret-of-${webhook}`;
    const body = { kind: 'discord', name: `Channel ${webhook}`, url, events: ['feedback_digest'], ...more };
    const { body: endpoint } = await service.call('notify.add-endpoint', '', body);
    return endpoint.id;
  }

  /** Emits feedback digests with these titles, one after the other. Answers the ids of the events. */
  async function emit(...titles: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const title of titles) {
      ids.push(await service.inStore((work) => recordEvent(work, 'feedback_digest', { title })));
    }
    return ids;
  }

  /** Of the store's deliveries, oldest first, as the operator sees them; of one endpoint if its webhook is given. */
  async function states(webhook?: string): Promise<string[]> {
    return (await deliveries())
      .filter((delivery) => webhook === undefined || delivery.endpoint === `Channel ${webhook}`)
      .map(({ state }) => state);
  }

  /** Oldest first. */
  async function deliveries() {
    return (await listDeliveries(storage, { storeId, limit: 1000 })).reverse();
  }

  // So that the title of a message says which event it tells of.
  const title = { title: '{{title}}', body: '.' };
  await service.call('settings.save', '', { templates: { feedback_digest: title } });
  return {
    service,
    receiver,
    clock,
    log,
    newWorker,
    worker: newWorker(),
    addEndpoint,
    addEndpoints,
    emit,
    states,
    deliveries,
  };
}
