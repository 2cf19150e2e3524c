import { isObject } from '../../base/json.ts';
import type { Session } from '../../cli/command/session.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { answerBody } from '../../cli/output/record-summary.ts';
import { updateStore } from '../../contract/operations/store.ts';
import { isInDoubt } from '../../history/journal/history-record.ts';
import { overlap, rulesOf } from '../../history/operation-rules.ts';

/** The store as this machine has seen it last. */
export interface SeenStore {
  readonly fields: Readonly<Record<string, unknown>>;
  /** ISO 8601; null for the demo store, which was read right now. */
  readonly seenAt: string | null;
}

/**
 * The store as the newest update from this machine left it, or null if that is unknown or something else may have changed it
 * since. The service has no operation that reads the store.
 */
export async function lastSeenStore(session: Session): Promise<SeenStore | null> {
  // The service of the demo runs in this process.
  if ((await session.settings()).profile === demoProfile)
    return { fields: { ...(await session.demo()).example.store }, seenAt: null };
  const { records } = (await session.history()).list();
  const newest = records.find(
    (record) =>
      overlap(rulesOf(record.operation).touches(record), ['store']) &&
      (record.state === 'applied' || isInDoubt(record)),
  );
  if (newest?.operation !== updateStore.id || newest.state !== 'applied') return null;
  const fields = answerBody(newest);
  return isObject(fields) ? { fields, seenAt: newest.response?.receivedAt ?? newest.updatedAt } : null;
}
