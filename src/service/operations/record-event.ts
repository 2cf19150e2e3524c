import { type EventData, type EventType, renderEvent } from '../model/event-types.ts';
import { createId } from '../model/ids.ts';
import { documentOf } from '../model/settings-document.ts';
import { timestamp } from '../model/time.ts';
import { findEventContext, insertDeliveries, insertEvent } from '../storage/queries/events.ts';
import type { Work } from './unit-of-work.ts';

/**
 * Records an event in the transaction of its cause (outbox): the event, which is also a notification in the store, and a
 * delivery for each subscribed endpoint. Returns the id of the event.
 */
export async function recordEvent(work: Work, type: EventType, data: EventData): Promise<string> {
  const eventId = createId();
  const createdAt = timestamp(work.now);
  const { sequence, settings, subscribers } = await findEventContext(work, type);
  const { templates } = documentOf(settings);
  const { title, body } = renderEvent(type, data, templates[type]);
  const { traceparent = null } = work;
  const cause = { eventId, createdAt, traceparent };
  const deliveries = subscribers.map((endpointId) => ({ id: createId(), endpointId, ...cause }));
  await insertEvent(work, { id: eventId, sequence, type, data, title, body, createdAt });
  await insertDeliveries(work, deliveries);
  return eventId;
}
