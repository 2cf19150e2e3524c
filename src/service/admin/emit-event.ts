import type { EventType } from '../model/event-types.ts';
import { recordEvent } from '../operations/record-event.ts';
import type { Storage } from '../storage/core/storage.ts';
import { operate } from './operate.ts';

/** Events that no operation emits. */
export const raisedEvents = ['feedback_digest', 'reclaim_noticed'] as const satisfies readonly EventType[];
export type RaisedEvent = (typeof raisedEvents)[number];

/**
 * Emits an event: a notification in the store and a delivery for each subscribed endpoint. Resolves with the id of the event.
 * Rejects with a ServiceError `not_found` if the store does not exist.
 */
export async function emitEvent(
  storage: Storage,
  storeId: string,
  type: RaisedEvent,
  data: Readonly<Record<string, string>>,
): Promise<{ readonly id: string }> {
  return operate(storage, storeId, 'emit', async (work) => ({ id: await recordEvent(work, type, data) }));
}
