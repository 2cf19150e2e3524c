import { notFound } from '../model/errors.ts';
import type { EventType } from '../model/event-types.ts';
import { excludeOthers } from '../operations/exclusive-access.ts';
import { recordEvent } from '../operations/record-event.ts';
import type { Storage } from '../storage/core/storage.ts';
import { findStore } from '../storage/queries/stores.ts';

/** The events that no operation emits. */
export const raisedEvents = ['feedback_digest', 'reclaim_noticed'] as const satisfies readonly EventType[];
export type RaisedEvent = (typeof raisedEvents)[number];

/**
 * Raises an event in a store: a notification there, and a delivery for each endpoint that has subscribed. Answers the
 * id of the event. Throws a ServiceError: `not_found` when there is no such store, or `restore_in_progress`.
 */
export async function emitEvent(
  storage: Storage,
  storeId: string,
  type: RaisedEvent,
  data: Readonly<Record<string, string>>,
): Promise<string> {
  return storage.forStore(storeId).write(async (db, locks) => {
    // A restore may be taking the endpoints away.
    await excludeOthers(locks, 'takeTurn');
    if ((await findStore({ db, storeId })) === undefined) throw notFound();
    return recordEvent({ db, storeId, actor: 'emit', now: Date.now() }, type, data);
  });
}
