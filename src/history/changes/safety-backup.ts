import { asObject } from '../../base/json.ts';
import { makeIdempotencyKey } from '../../client/idempotency-key.ts';
import { HistoryError } from '../errors.ts';
import type { History, Recorded } from '../history.ts';
import { intentOf } from '../intent.ts';
import type { Intent } from '../journal/history-record.ts';
import { rulesOf } from '../operation-rules.ts';
import { type Sending, sendRecord } from './send.ts';

/**
 * The backup that has to come before a change, or null. It belongs to that change alone: its key is new, so it is never one that
 * was made before.
 */
export function safetyIntent({ journal }: History, intent: Intent, label: string | undefined): Intent | null {
  const { preparation } = rulesOf(intent.operation);
  if (preparation === undefined || label === undefined) return null;
  const body = { ...preparation.body(intent, label), idempotencyKey: makeIdempotencyKey() };
  const { operation, path, body: prepared } = intent;
  return {
    ...intentOf({ operation: preparation.operation, body }, journal.store.storeId),
    prepares: JSON.stringify({ operation, path, body: prepared }),
  };
}

/** What came of a change, and of the backup before it. Where that failed, both are the safety backup: nothing else was sent. */
export interface Prepared extends Recorded {
  readonly safetyBackup: Recorded | null;
}

/**
 * Sends the change with this id, after its safety backup if `safetyId` is given: once `writeDown` has recorded which backup it
 * is. Where that did not come off, the safety backup has a `recordingError`, and the change is not sent.
 */
export async function sendAfterBackup(
  sending: Sending,
  safetyId: string | null,
  change: { id: string; isFirst: boolean; writeDown(backupId: string): Promise<unknown> },
): Promise<Prepared> {
  let safetyBackup: Recorded | null = null;
  if (safetyId !== null) {
    safetyBackup = await sendRecord(sending, safetyId, { isFirst: true });
    const { outcome, recordingError } = safetyBackup;
    const backupId = outcome.kind === 'applied' ? asObject(outcome.body).id : null;
    if (typeof backupId !== 'string' || recordingError !== null) return { ...safetyBackup, safetyBackup };
    try {
      await change.writeDown(backupId);
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      safetyBackup = { ...safetyBackup, recordingError: error };
      return { ...safetyBackup, safetyBackup };
    }
  }
  return { ...(await sendRecord(sending, change.id, change)), safetyBackup };
}
