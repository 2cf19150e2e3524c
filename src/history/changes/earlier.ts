import type { History, SendOptions } from '../history.ts';
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

/** How long the same content counts as sent twice by mistake. */
const duplicateMs = 24 * 3_600_000;

/** What two commands have in common that are the same for the rules. */
export function sameCommandBy(operation: string): 'path' | 'fingerprint' {
  const rules = rulesOf(operation);
  return rules.guard === 'once' || rules.onSameCommand === 'read' ? 'path' : 'fingerprint';
}

/**
 * The record that a command continues instead of beginning anew, or null. Settles what can be settled before, and throws a
 * RefusedError where the rules of the operation refuse the command.
 */
export async function findEarlier(
  history: History,
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
    // Another process may be about to learn what came of it.
    const record = isInDoubt(found) ? await waitForHolder(history, found, options) : found;
    if (rules.onSameCommand === 'read') {
      const settled = await settleDecided(history, request, intent, record, options);
      if (settled !== null) return settled;
    } else if (rules.onSameCommand === 'continue') {
      const isOwn = isInDoubt(record) || (record.state === 'applied' && (record.open || record !== found));
      if (!isOwn || request.fresh) continue;
      // Telling what came of it needs no key.
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
      // A date in the future counts as now.
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

/** Whether a change in doubt can be sent again by its own key, because the service applies the key in its header once. */
async function isSafeToContinue(
  record: HistoryRecord,
  now: number,
  { client, timeoutMs, signal }: SendOptions,
): Promise<boolean> {
  const change = keyQuestionOf(record);
  if (change === null || record.requestLost || isTooOld(record, now)) return false;
  return (await client.appliesOnce(change, { timeoutMs, signal })) === 'yes';
}

/** Whether a later restore of what a change added to may have removed it, so that its content says nothing any more. */
export function isRestoredOver(record: HistoryRecord, others: Iterable<HistoryRecord>): boolean {
  const restores = [...others].filter(
    (other) =>
      other.state === 'applied' && rulesOf(other.operation).undo === 'backup' && isAfter(other, record),
  );
  return restores.some((restore) => overlap(writtenPaths(restore), writtenPaths(record)));
}

/**
 * With a key of the user, the same key is one effect: the record that was, or may yet be, applied. After a definite refusal,
 * or if nothing was sent, the key may be used with corrected arguments. One that was superseded is never sent again, but what is asked
 * for now is sent with the same key, so the service applies one of the two; unless that sets values over those of a later change.
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

/** The record as the process that holds its log has left it, which is read again. */
export async function waitForHolder(
  history: History,
  record: HistoryRecord,
  options: SendOptions,
): Promise<HistoryRecord> {
  const logId = logIdOf(record.id);
  if (!history.isHeldElsewhere(logId)) return record;
  (await history.journal.acquireLog(logId, options)).release();
  return history.refresh().get(record.id);
}

/**
 * A second decision must not be sent while one is in doubt, or on top of one that the user has not seen. Returns an earlier one
 * that is the same and was applied, where nothing has reported it yet: a caller that has not read the dispute does not know it.
 */
async function settleDecided(
  history: History,
  { readAt }: ChangeRequest,
  intent: Intent,
  found: HistoryRecord,
  options: SendOptions,
): Promise<HistoryRecord | null> {
  const wasInDoubt = isInDoubt(found);
  const isSame = found.fingerprint === intent.fingerprint;
  // Another decision than the one that is asked for is not sent by the way.
  const resuming = { ...options, readsOnly: !isSame };
  const record = wasInDoubt ? (await resumeRecord(history, found.id, resuming)).record : found;
  if (isInDoubt(record)) throw new RefusedError('in_doubt', record);
  if (record.state !== 'applied') return null;
  if (isSame && (wasInDoubt || (readAt === undefined && record.open))) return record;
  const isNew = wasInDoubt || (readAt !== undefined && Date.parse(record.updatedAt) >= readAt);
  if (isNew) throw new RefusedError('changed_meanwhile', record);
  return null;
}
