import type { SendOptions, StoreHistory } from '../history.ts';
import { overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import type { ChangeRequest } from '../record/change-request.ts';
import { RefusedError } from '../record/errors.ts';
import {
  type HistoryRecord,
  type Intent,
  isAfter,
  isInDoubt,
  isTooOld,
  logIdOf,
  mayBeApplied,
} from '../record/history-record.ts';
import { isSameCommand } from '../record/intent.ts';
import { hasOwnKey, keyQuestionOf } from '../record/keys.ts';
import { resumeRecord } from './resume.ts';
import { isSuperseded } from './supersede.ts';

/** Within this time, the same content counts as sent twice by mistake. */
const duplicateMs = 24 * 3_600_000;

/** The field that two commands have in common if they are the same command by the rules of their operation. */
export function sameCommandBy(operation: string): 'path' | 'fingerprint' {
  const rules = rulesOf(operation);
  return rules.guard === 'once' || rules.onSameCommand === 'read' ? 'path' : 'fingerprint';
}

/**
 * Looks among earlier records for one of the same command. Returns the record that is continued in place of a new one, or null if
 * a new one is to be begun. May read for proof to settle an earlier record. Throws a RefusedError if the rules of the operation refuse
 * the command.
 */
export async function findEarlier(
  history: StoreHistory,
  request: ChangeRequest,
  intent: Intent,
  past: readonly HistoryRecord[],
  options: SendOptions,
): Promise<HistoryRecord | null> {
  const now = history.journal.now();
  if (hasOwnKey(request)) return findKey(past, intent, now);
  const rules = rulesOf(intent.operation);
  if (rules.onSameCommand === 'send') return null;
  const by = sameCommandBy(intent.operation);
  for (const found of past.filter((record) => isSameCommand(record, intent, by))) {
    // If another process is sending the record, its outcome is waited for.
    const record = isInDoubt(found) ? await waitForHolder(history, found, options) : found;
    if (rules.onSameCommand === 'read') {
      const settled = await settleDecided(history, request, intent, record, options);
      if (settled !== null) return settled;
    } else if (rules.onSameCommand === 'continue') {
      const isOwn = isInDoubt(record) || (record.state === 'applied' && (record.open || record !== found));
      if (!isOwn || request.fresh) continue;
      // An applied record is only reported, so its age does not matter.
      if (record.state === 'applied') return record;
      if (!isTooOld(record, now) && !record.requestLost) return record;
      throw new RefusedError('in_doubt', record);
    } else if (rules.onSameCommand === 'refuse' && !request.allowDuplicate) {
      if (isInDoubt(record)) {
        if (await isSafeToContinue(record, now, options)) return record;
        throw new RefusedError('in_doubt', record);
      }
      if (record.state !== 'applied') continue;
      if (rules.guard === 'once') throw new RefusedError('only_once', record);
      // A date in the future counts as recent.
      const isRecent = now - Date.parse(record.createdAt) < duplicateMs;
      if (
        rules.guard === 'duplicate' &&
        isRecent &&
        !isRestoredOver(record, history.snapshot().records({ since: record.number }))
      )
        throw new RefusedError('duplicate', record);
    }
  }
  return null;
}

/** Whether a change in doubt can be sent again, because the service applies the key in its header once. */
async function isSafeToContinue(
  record: HistoryRecord,
  now: number,
  { client, timeoutMs, signal }: SendOptions,
): Promise<boolean> {
  const change = keyQuestionOf(record);
  if (change === null || record.requestLost || isTooOld(record, now)) return false;
  return (await client.appliesOnce(change, { timeoutMs, signal })) === 'yes';
}

/** Whether a later restore may have removed what a change has added, so that the same content may be sent again. */
export function isRestoredOver(record: HistoryRecord, others: Iterable<HistoryRecord>): boolean {
  const restores = [...others].filter(
    (other) =>
      other.state === 'applied' && rulesOf(other.operation).undo === 'backup' && isAfter(other, record),
  );
  return restores.some((restore) => overlap(writtenPaths(restore), writtenPaths(record)));
}

/**
 * The earlier record with the key that the user gave, or null. The same key is one effect, so a record that was applied, or may be, is
 * continued. After a refusal, or if nothing was sent, the key may be used with corrected arguments. A superseded record is never sent
 * again: a new change is sent with the key, and the service applies one of the two. But a change that sets values is refused then, because
 * it could overwrite the later change.
 */
function findKey(past: readonly HistoryRecord[], intent: Intent, now: number): HistoryRecord | null {
  const own = past.filter(({ operation }) => operation === intent.operation);
  const used = own.filter(
    (record) =>
      record.idempotencyKey === intent.idempotencyKey &&
      !record.requestLost &&
      (mayBeApplied(record) || record.supersededBy !== null),
  );
  const other = used.find((record) => record.fingerprint !== intent.fingerprint);
  if (other !== undefined) throw new RefusedError('key_reused', other);
  const found = used.find((record) => record.state === 'applied') ?? used[0];
  const lost = own.find((record) => record.requestLost && isInDoubt(record));
  if (found === undefined && lost !== undefined) throw new RefusedError('in_doubt', lost);
  if (found === undefined || found.state === 'applied') return found ?? null;
  const supersededBy = found.supersededBy ?? own.find((later) => isSuperseded(found, later))?.id ?? null;
  const isOver = supersededBy !== null;
  if (isTooOld(found, now) || (isOver && rulesOf(found.operation).inOrder))
    throw new RefusedError(isOver ? 'superseded' : 'in_doubt', { ...found, supersededBy });
  return isOver ? null : found;
}

/** Waits for the process that holds the log of a record, and returns the record as that process has left it. */
export async function waitForHolder(
  history: StoreHistory,
  record: HistoryRecord,
  options: SendOptions,
): Promise<HistoryRecord> {
  const logId = logIdOf(record.id);
  if (!history.isHeldElsewhere(logId)) return record;
  (await history.journal.acquireLog(logId, options)).release();
  return history.refresh().get(record.id);
}

/**
 * Settles an earlier decision of the same dispute. Throws a RefusedError if that decision is still in doubt, or if it was applied and the
 * user has not seen it. Returns the earlier decision if it is the same one, was applied, and was not reported: the caller then reports it.
 * Null if a new decision may be sent.
 */
async function settleDecided(
  history: StoreHistory,
  { readAt }: ChangeRequest,
  intent: Intent,
  found: HistoryRecord,
  options: SendOptions,
): Promise<HistoryRecord | null> {
  const wasInDoubt = isInDoubt(found);
  const isSame = found.fingerprint === intent.fingerprint;
  // If the earlier decision is another one, it is read for proof, and never sent again here.
  const resuming = { ...options, readsOnly: !isSame };
  const record = wasInDoubt ? (await resumeRecord(history, found.id, resuming)).record : found;
  if (isInDoubt(record)) throw new RefusedError('in_doubt', record);
  if (record.state !== 'applied') return null;
  if (isSame && (wasInDoubt || (readAt === undefined && record.open))) return record;
  const isNew = wasInDoubt || (readAt !== undefined && Date.parse(record.updatedAt) >= readAt);
  if (isNew) throw new RefusedError('changed_meanwhile', record);
  return null;
}
