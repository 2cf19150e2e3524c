import { type EventData, type EventType, renderEvent } from '../model/event-types.ts';
import { createId } from '../model/ids.ts';
import { documentOf } from '../model/settings-document.ts';
import { timestamp } from '../model/time.ts';
import { rememberPerStore } from '../storage/core/prepared.ts';
import { listSubscribers } from '../storage/queries/endpoints.ts';
import { insertDelivery, insertEvent } from '../storage/queries/events.ts';
import { findSettings } from '../storage/queries/settings.ts';
import type { Work } from './unit-of-work.ts';

const templatesOf = rememberPerStore(
  'operations_settings',
  async (tenant) => documentOf((await findSettings(tenant))?.document).templates,
);

/**
 * Records that something happened, in the transaction in which it does: the event with its notification in the store,
 * and a delivery for each enabled endpoint that has subscribed. Answers the id of the event.
 */
export async function recordEvent(work: Work, type: EventType, data: EventData): Promise<string> {
  const eventId = createId();
  const createdAt = timestamp(work.now);
  const { title, body } = renderEvent(type, data, (await templatesOf(work))[type]);
  await insertEvent(work, { id: eventId, type, data, title, body, createdAt });

  for (const endpointId of await listSubscribers(work, type)) {
    await insertDelivery(work, { id: createId(), eventId, endpointId, createdAt });
  }
  return eventId;
}
