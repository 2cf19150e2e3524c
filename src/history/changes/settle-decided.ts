import { RefusedError } from '../errors.ts';
import type { History, SendOptions } from '../history.ts';
import type { ChangeRequest } from '../intent.ts';
import { type HistoryRecord, type Intent, isInDoubt } from '../journal/history-record.ts';
import { resumeRecord } from './resume.ts';

/**
 * A second decision must not be sent while one is in doubt, or on top of one that the user has not seen. Returns an earlier one
 * that is the same and was applied, where nothing has reported it yet: a caller that has not read the dispute does not know it.
 */
export async function settleDecided(
  history: History,
  { readAt }: ChangeRequest,
  intent: Intent,
  found: HistoryRecord,
  options: SendOptions,
): Promise<HistoryRecord | null> {
  const wasInDoubt = isInDoubt(found);
  const record = wasInDoubt ? (await resumeRecord(history, found.id, options)).record : found;
  if (isInDoubt(record)) throw new RefusedError('in_doubt', record);
  if (record.state !== 'applied') return null;
  const isUnread = readAt === undefined && record.fingerprint === intent.fingerprint;
  if (isUnread && (wasInDoubt || record.open)) return record;
  const isNew = wasInDoubt || (readAt !== undefined && Date.parse(record.updatedAt) >= readAt);
  if (isNew) throw new RefusedError('changed_meanwhile', record);
  return null;
}
