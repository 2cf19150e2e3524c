import { type EventData, type EventType, renderEvent } from '../model/event-types.ts';
import { createId } from '../model/ids.ts';
import { timestamp } from '../model/time.ts';
import { insert } from '../storage/core/statement.ts';
import { findEventContext, insertDeliveries } from '../storage/queries/events.ts';
import type { Work } from './unit-of-work.ts';

/**
 * Records an event in the transaction of its cause (outbox): the event, which is also a notification in the store, and a
 * delivery for each subscribed endpoint. Returns the id of the event.
 */
export async function recordEvent(work: Work, type: EventType, data: EventData): Promise<string> {
  const eventId = createId();
  const createdAt = timestamp(work.now);
  const { traceparent = null } = work;
  const { sequence, settings, subscribers } = await findEventContext(work, type);
  const { title, body } = renderEvent(type, data, settings?.templates?.[type]);
  await insert(work, 'events', { id: eventId, sequence, type, data, title, body, createdAt });
  await insertDeliveries(work, subscribers, { eventId, createdAt, traceparent });
  return eventId;
}
