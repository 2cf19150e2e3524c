import { asObject } from '../../base/json.ts';
import { makeIdempotencyKey } from '../../client/idempotency-key.ts';
import type { StoreHistory } from '../history.ts';
import { rulesOf } from '../operation-rules.ts';
import { HistoryError } from '../record/errors.ts';
import { type Intent, isInDoubt, sentBody } from '../record/history-record.ts';
import { intentOf } from '../record/intent.ts';
import type { FailedSafetyBackup, Recorded, RecordedChange } from './change-result.ts';
import { type Sending, sendRecord } from './send.ts';

/**
 * The intent of the safety backup that comes before a change, or null if the change needs none. The backup has a new key, so the service
 * never answers with an earlier one.
 */
export function safetyIntent(
  { journal }: StoreHistory,
  intent: Intent,
  label: string | undefined,
): Intent | null {
  const { safetyBackupRule } = rulesOf(intent.operation);
  if (safetyBackupRule === undefined || label === undefined) return null;
  const body = { ...safetyBackupRule.body(intent, label), idempotencyKey: makeIdempotencyKey() };
  const { operation, parameters } = intent;
  return {
    ...intentOf({ operation: safetyBackupRule.operation, body }, journal.store.storeId),
    safetyBackupFor: { operation, parameters, body: asObject(sentBody(intent)) },
  };
}

/**
 * Sends the safety backup `safetyId`, and then the change. The change is not sent unless the backup was applied, has an id, and its
 * outcome is in the log. `begin` is called with the id of the backup, and writes the intent of a change that has no record yet.
 */
export async function sendAfterBackup(
  sending: Sending,
  safetyId: string,
  change: { id: string; isFirst: boolean; begin?(backupId: string): Promise<unknown> },
): Promise<RecordedChange | FailedSafetyBackup> {
  const failedWith = (failed: Recorded): FailedSafetyBackup => {
    const record = sending.writer.records.get(change.id);
    const inDoubt = record !== undefined && isInDoubt(record) ? record : null;
    return { kind: 'safety_backup', safetyBackup: failed, inDoubt };
  };
  let safetyBackup: Recorded | null = null;
  try {
    safetyBackup = await sendRecord(sending, safetyId, { isFirst: true });
    const { outcome, recordingError } = safetyBackup;
    const backupId = outcome.kind === 'applied' ? asObject(outcome.body).id : null;
    if (typeof backupId !== 'string' || recordingError !== null) return failedWith(safetyBackup);
    await change.begin?.(backupId);
    return { ...(await sendRecord(sending, change.id, change)), kind: 'change', safetyBackup };
  } catch (error) {
    if (!(error instanceof HistoryError) || safetyBackup === null) throw error;
    return failedWith({ ...safetyBackup, recordingError: error });
  }
}
