import { asObject } from '../../base/json.ts';
import { makeIdempotencyKey } from '../../client/idempotency-key.ts';
import type { History, Recorded } from '../history.ts';
import { rulesOf } from '../operation-rules.ts';
import { HistoryError } from '../record/errors.ts';
import { type HistoryRecord, type Intent, isInDoubt, sentBody } from '../record/history-record.ts';
import { intentOf } from '../record/intent.ts';
import { type Sending, sendRecord } from './send.ts';

/**
 * The backup that has to come before a change, or null. It belongs to that change alone: its key is new, so it is never one that
 * was made before.
 */
export function safetyIntent({ journal }: History, intent: Intent, label: string | undefined): Intent | null {
  const { safetyBackupRule } = rulesOf(intent.operation);
  if (safetyBackupRule === undefined || label === undefined) return null;
  const body = { ...safetyBackupRule.body(intent, label), idempotencyKey: makeIdempotencyKey() };
  const { operation, parameters } = intent;
  return {
    ...intentOf({ operation: safetyBackupRule.operation, body }, journal.store.storeId),
    safetyBackupFor: { operation, parameters, body: asObject(sentBody(intent)) },
  };
}

/** What came of a change, and of the backup before it, if one was asked for. */
export interface RecordedChange extends Recorded {
  readonly kind: 'change';
  readonly safetyBackup: Recorded | null;
}

/** The backup before a change failed, or with a `recordingError` could not be recorded, so the change was not sent. */
export interface FailedSafetyBackup {
  readonly kind: 'safety_backup';
  readonly safetyBackup: Recorded;
  /** The change that was not sent, where an earlier attempt of it may have been applied. */
  readonly inDoubt: HistoryRecord | null;
}

/** Sends the change with this id, after its safety backup if `safetyId` is given: `writeDown` records which backup it is. */
export async function sendAfterBackup(
  sending: Sending,
  safetyId: string | null,
  change: { id: string; isFirst: boolean; writeDown(backupId: string): Promise<unknown> },
): Promise<RecordedChange | FailedSafetyBackup> {
  const failedWith = (failed: Recorded): FailedSafetyBackup => {
    const record = sending.writer.records.get(change.id);
    const inDoubt = record !== undefined && isInDoubt(record) ? record : null;
    return { kind: 'safety_backup', safetyBackup: failed, inDoubt };
  };
  let safetyBackup: Recorded | null = null;
  try {
    if (safetyId !== null) {
      safetyBackup = await sendRecord(sending, safetyId, { isFirst: true });
      const { outcome, recordingError } = safetyBackup;
      const backupId = outcome.kind === 'applied' ? asObject(outcome.body).id : null;
      if (typeof backupId !== 'string' || recordingError !== null) return failedWith(safetyBackup);
      await change.writeDown(backupId);
    }
    return { ...(await sendRecord(sending, change.id, change)), kind: 'change', safetyBackup };
  } catch (error) {
    if (!(error instanceof HistoryError) || safetyBackup === null) throw error;
    return failedWith({ ...safetyBackup, recordingError: error });
  }
}
