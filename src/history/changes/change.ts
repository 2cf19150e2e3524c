import type { Lock } from '../../base/files/lock.ts';
import type { SendOptions, StoreHistory } from '../history.ts';
import { type LogWriter, recordIn } from '../journal/log-writer.ts';
import { rulesOf } from '../operation-rules.ts';
import type { ChangeRequest } from '../record/change-request.ts';
import { RefusedError } from '../record/errors.ts';
import { type HistoryRecord, type Intent, logIdOf, sentBody } from '../record/history-record.ts';
import { intentOf, refuseSecret } from '../record/intent.ts';
import { bodyWithKey, hasOwnKey } from '../record/keys.ts';
import { recordedOutcome } from '../record/recorded-outcome.ts';
import type { Snapshot } from '../snapshot.ts';
import { type FailedSafetyBackup, type RecordedChange, recordedResult } from './change-result.ts';
import { findEarlier } from './earlier.ts';
import { lastSeen, replacedValues } from './replaced-values.ts';
import { continueRecord } from './resume.ts';
import { safetyIntent, sendAfterBackup } from './safety-backup.ts';
import { sendRecord } from './send.ts';
import { supersede } from './supersede.ts';
import { indexUndos, planUndo } from './undo.ts';

export interface RecordOptions extends SendOptions {
  /** The label of the safety backup. Without a label, no safety backup is taken. */
  readonly safetyLabel?: string | undefined;
  /**
   * Called if an earlier record is continued in place of the request: a record in doubt is sent again, any other is only reported.
   * `undo` is the change that took the earlier one back.
   */
  onEarlier?(record: HistoryRecord, undo: HistoryRecord | null): void;
}

/**
 * Records a change and sends it. The intent is on disk before the first byte of the request leaves, the outcome after the response. This
 * process holds the log until `history.end()`.
 *
 * Throws a HistoryError or RefusedError if nothing was sent, and a RangeError for an invalid path parameter.
 */
export async function recordChange(
  history: StoreHistory,
  request: ChangeRequest,
  options: RecordOptions,
): Promise<RecordedChange | FailedSafetyBackup> {
  const { journal } = history;
  const { client, signal } = options;
  const operationLock = await journal.acquire(`operation ${request.operation.id}`, options);
  let orderLock: Lock | null = null;
  try {
    if (rulesOf(request.operation.id).inOrder) orderLock = await journal.acquire('order', options);
    // Only a listing that is made under the locks decides.
    const snapshot = history.refresh();
    refuseMovedUndo(snapshot, request);
    const past = readPast(snapshot, request);
    client.pause(history.storeWait());
    const intent = withReplaced(
      intentOf(request, journal.store.storeId, bodyWithKey(request)),
      snapshot.records({ concerning: [request.operation.id] }),
    );
    refuseSecret(intent, client);
    const earlier = await findEarlier(history, request, intent, past, options);
    if (earlier !== null) {
      history.explain({ kind: 'continued', record: earlier });
      const writer = await history.reopen(logIdOf(earlier.id), options);
      operationLock.release();
      return await continueEarlier(history, writer, earlier.id, past, options);
    }
    const safety = safetyIntent(history, intent, options.safetyLabel);
    // The connection is opened while the log is written.
    if (!signal?.aborted) client.connect();
    const { operation } = intent;
    const writer = await history.begin({ operation, intents: [safety ?? intent], isBatch: safety !== null });
    history.explain({ kind: 'begun', id: writer.id });
    operationLock.release();
    const { id } = writer;
    const sending = { ...options, writer, now: journal.now };
    const sent: RecordedChange | FailedSafetyBackup =
      safety === null
        ? { ...(await sendRecord(sending, id, { isFirst: true })), kind: 'change', safetyBackup: null }
        : await sendAfterBackup(sending, `${id}.1`, {
            id,
            isFirst: true,
            begin: (safetyBackupId) => writer.add({ ...intent, safetyBackupId }, { isMain: true }),
          });
    if (sent.kind === 'change' && sent.outcome.kind === 'applied')
      await supersede(history, sent.record, past);
    return sent;
  } catch (error) {
    if (error instanceof RefusedError) history.explain({ kind: 'refused', error });
    throw error;
  } finally {
    operationLock.release();
    orderLock?.release();
  }
}

/**
 * Throws the RefusedError that {@link recordChange} would throw, as far as the history alone can tell. Records and sends nothing.
 */
export async function previewChange(
  history: StoreHistory,
  request: ChangeRequest,
  options: SendOptions,
): Promise<void> {
  if (rulesOf(request.operation.id).onSameCommand === 'read') return;
  const past = readPast(history.snapshot(), request);
  // The service may be asked whether it applies a key once.
  options.client.pause(history.storeWait());
  await findEarlier(history, request, intentOf(request, history.journal.store.storeId), past, options);
}

/**
 * Refuses an undo if another process has undone the same change, or has changed the same fields again, since the user was asked.
 */
function refuseMovedUndo(snapshot: Snapshot, { undoes, seenLater = [] }: ChangeRequest): void {
  if (!undoes) return;
  const moved = planUndo(snapshot, undoes).later.find(({ id }) => !seenLater.includes(id));
  if (moved !== undefined) throw new RefusedError('changed_meanwhile', moved);
}

/**
 * The earlier records that may decide about a request, newest first. Old records are among them if the caller gave a key, or if the
 * service takes the change only once. Of a request that is sent whatever was sent before, they are only those that may be open. Throws
 * a DamagedError.
 */
function readPast(snapshot: Snapshot, request: ChangeRequest): HistoryRecord[] {
  const { id } = request.operation;
  const { guard, onSameCommand } = rulesOf(id);
  if (onSameCommand !== 'send' || hasOwnKey(request))
    return snapshot.openAndRecent(id, { all: guard === 'once' || hasOwnKey(request) });
  snapshot.checkOpenAndRecent(id);
  return [...snapshot.records({ open: true })];
}

/** The intent with the values that it replaces. If the caller has not read them, they are those that this machine has seen last. */
function withReplaced(intent: Intent, past: Iterable<HistoryRecord>): Intent {
  if (intent.replaced !== null || rulesOf(intent.operation).undo !== 'fields') return intent;
  return { ...intent, replaced: replacedValues(lastSeen(intent.operation, past), sentBody(intent)) };
}

async function continueEarlier(
  history: StoreHistory,
  writer: LogWriter,
  id: string,
  past: readonly HistoryRecord[],
  options: RecordOptions,
): Promise<RecordedChange | FailedSafetyBackup> {
  const record = recordIn(writer.records, id);
  // Another process has sent this record and ended, while this process waited for the log. The outcome is only reported.
  const wasRunning = past.find((other) => other.id === id)?.updatedAt !== record.updatedAt;
  if (!wasRunning || recordedOutcome(record) === null) {
    const since = [...history.snapshot().usable({ since: record.number })];
    options.onEarlier?.(record, indexUndos(since)(record));
    // A user who gives the same key again has confirmed a restore.
    const isConfirmed = rulesOf(record.operation).safetyBackupRule !== undefined;
    const resumed = await continueRecord(history, writer, record, { ...options, isConfirmed });
    if ('kind' in resumed) return resumed;
    if (resumed.action === 'left_open') throw new RefusedError('in_doubt', resumed.record);
    if (resumed.action === 'superseded') throw new RefusedError('superseded', resumed.record);
  }
  return recordedResult(recordIn(writer.records, id));
}
