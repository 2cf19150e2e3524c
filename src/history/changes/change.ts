import type { Lock } from '../../base/files/lock.ts';
import { makeIdempotencyKey } from '../../client/idempotency-key.ts';
import { type History, logIdOf, type SendOptions } from '../history.ts';
import { type LogWriter, recordIn } from '../journal/log-writer.ts';
import { rulesOf } from '../operation-rules.ts';
import { RefusedError } from '../record/errors.ts';
import { type HistoryRecord, type Intent, sentBody } from '../record/history-record.ts';
import { type ChangeRequest, intentOf, refuseSecret } from '../record/intent.ts';
import { recordedOutcome } from '../record/recorded-outcome.ts';
import type { Snapshot } from '../snapshot.ts';
import { findEarlier, hasOwnKey } from './earlier.ts';
import { lastSeen, replacedValues } from './replaced-values.ts';
import { continueRecord, recordedResult } from './resume.ts';
import {
  type FailedSafetyBackup,
  type RecordedChange,
  safetyIntent,
  sendAfterBackup,
} from './safety-backup.ts';
import { supersede } from './supersede.ts';
import { indexUndos, planUndo } from './undo.ts';

export interface RecordOptions extends SendOptions {
  /** Of the backup to make before a change that destroys something; none is made without it. */
  readonly safetyLabel?: string | undefined;
  /** An earlier record is continued: it is sent again if it is in doubt, else only reported. `undo` is the change that took it back. */
  onEarlier?(record: HistoryRecord, undo: HistoryRecord | null): void;
}

/**
 * Records a change and sends it: its request is on disk before its first byte leaves, and its outcome after. The log stays
 * this process's until `history.end()`.
 *
 * Throws a HistoryError or RefusedError if nothing was sent, and a RangeError for an invalid path parameter.
 */
export async function recordChange(
  history: History,
  request: ChangeRequest,
  options: RecordOptions,
): Promise<RecordedChange | FailedSafetyBackup> {
  const { journal } = history;
  const { client, signal } = options;
  const begin = await journal.acquire(`operation ${request.operation.id}`, options);
  let order: Lock | null = null;
  try {
    if (rulesOf(request.operation.id).inOrder) order = await journal.acquire('order', options);
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
      begin.release();
      return await continueEarlier(history, writer, earlier.id, past, options);
    }
    const safety = safetyIntent(history, intent, options.safetyLabel);
    // The connection is opened while the record is written.
    if (!signal?.aborted) client.connect();
    const { operation } = intent;
    const writer = await history.begin({ operation, intents: [safety ?? intent], isBatch: safety !== null });
    history.explain({ kind: 'begun', id: writer.id });
    begin.release();
    const { id } = writer;
    const sent = await sendAfterBackup({ ...options, writer, now: journal.now }, safety && `${id}.1`, {
      id,
      isFirst: true,
      writeDown: (safetyBackupId) => writer.add({ ...intent, safetyBackupId }, { isMain: true }),
    });
    if (sent.kind === 'change' && sent.outcome.kind === 'applied')
      await supersede(history, sent.record, past);
    return sent;
  } catch (error) {
    if (error instanceof RefusedError) history.explain({ kind: 'refused', error });
    throw error;
  } finally {
    begin.release();
    order?.release();
  }
}

/** Throws what {@link recordChange} would throw, but for what only a read can find out. No change is recorded or sent. */
export async function previewChange(
  history: History,
  request: ChangeRequest,
  options: SendOptions,
): Promise<void> {
  if (rulesOf(request.operation.id).onSameCommand === 'read') return;
  const past = readPast(history.snapshot(), request);
  await findEarlier(history, request, intentOf(request, history.journal.store.storeId), past, options);
}

/** Between the question and the lock, another process may have undone the same, or changed it again. */
function refuseMovedUndo(snapshot: Snapshot, { undoes, seenLater = [] }: ChangeRequest): void {
  if (!undoes) return;
  const moved = planUndo(snapshot, undoes).later.find(({ id }) => !seenLater.includes(id));
  if (moved !== undefined) throw new RefusedError('changed_meanwhile', moved);
}

/**
 * What a change has to know, newest first: a key of the user, and what the service takes only once, count whatever their age. Throws
 * a DamagedError.
 */
function readPast(snapshot: Snapshot, request: ChangeRequest): HistoryRecord[] {
  const { id } = request.operation;
  return snapshot.openAndRecent(id, { all: rulesOf(id).guard === 'once' || hasOwnKey(request) });
}

function bodyWithKey(request: ChangeRequest): ChangeRequest['body'] {
  const { operation, body, idempotencyKey = makeIdempotencyKey() } = request;
  const needsKey = operation.class === 'keyed' && typeof body?.idempotencyKey !== 'string';
  return needsKey ? { ...body, idempotencyKey } : body;
}

/** The values that the request replaces, as far as this machine has seen them, where the caller does not know them. */
function withReplaced(intent: Intent, past: Iterable<HistoryRecord>): Intent {
  if (intent.replaced !== null || rulesOf(intent.operation).undo !== 'fields') return intent;
  return { ...intent, replaced: replacedValues(lastSeen(intent.operation, past), sentBody(intent)) };
}

async function continueEarlier(
  history: History,
  writer: LogWriter,
  id: string,
  past: readonly HistoryRecord[],
  options: RecordOptions,
): Promise<RecordedChange | FailedSafetyBackup> {
  const record = recordIn(writer.records, id);
  // Its process has ended while this one waited for it: what it found out is what this one reports.
  const wasRunning = past.find((other) => other.id === id)?.updatedAt !== record.updatedAt;
  if (!wasRunning || recordedOutcome(record) === null) {
    const since = [...history.snapshot().usable({ since: record.number })];
    options.onEarlier?.(record, indexUndos(since)(record));
    // Giving the same key again confirms a change that destroys something.
    const isConfirmed = rulesOf(record.operation).safetyBackupRule !== undefined;
    const resumed = await continueRecord(history, writer, record, { ...options, isConfirmed });
    if ('kind' in resumed) return resumed;
    if (resumed.action === 'left') throw new RefusedError('in_doubt', resumed.record);
    if (resumed.action === 'superseded') throw new RefusedError('superseded', resumed.record);
  }
  return recordedResult(recordIn(writer.records, id));
}
