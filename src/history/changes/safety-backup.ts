import { asObject } from '../../base/json.ts';
import { makeIdempotencyKey } from '../../client/idempotency-key.ts';
import { HistoryError } from '../errors.ts';
import type { History, Recorded } from '../history.ts';
import { intentOf } from '../intent.ts';
import type { Intent } from '../journal/history-record.ts';
import { rulesOf } from '../operation-rules.ts';
import { type Sending, sendRecord } from './send.ts';

/**
 * The backup that has to come before a change, or undefined. It belongs to that change alone: its key is new, so it is never
 * one that was made before.
 */
export function safetyIntent({ journal }: History, intent: Intent, label: string): Intent | undefined {
  const { preparation } = rulesOf(intent.operation);
  if (preparation === undefined) return undefined;
  const body = { ...preparation.body(intent, label), idempotencyKey: makeIdempotencyKey() };
  const { operation, path, body: prepared } = intent;
  return {
    ...intentOf({ operation: preparation.operation, body }, journal.store.storeId),
    prepares: JSON.stringify({ operation, path, body: prepared }),
  };
}

/**
 * Sends a safety backup, and has its id written down with `begin` before the change may be sent. `mayGoOn` is false where that
 * did not come off; `safetyBackup` then says why, with a `recordingError` if the backup was made all the same.
 */
export async function makeSafetyBackup(
  sending: Sending,
  id: string,
  begin: (backupId: string) => Promise<unknown>,
): Promise<{ safetyBackup: Recorded; mayGoOn: boolean }> {
  const safetyBackup = await sendRecord(sending, id, { isFirst: true });
  const { outcome, recordingError } = safetyBackup;
  const backupId = outcome.kind === 'applied' ? asObject(outcome.body).id : null;
  if (typeof backupId !== 'string' || recordingError !== null) return { safetyBackup, mayGoOn: false };
  try {
    await begin(backupId);
    return { safetyBackup, mayGoOn: true };
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    return { safetyBackup: { ...safetyBackup, recordingError: error }, mayGoOn: false };
  }
}
