import { makeIdempotencyKey } from '../../client/idempotency-key.ts';
import { RefusedError } from '../errors.ts';
import { acquireOrder, type History, logIdOf, type Recorded, type SendOptions, waitOf } from '../history.ts';
import { type ChangeRequest, intentOf, refuseSecret } from '../intent.ts';
import type { HistoryRecord, Intent } from '../journal/history-record.ts';
import { type Listing, listNames } from '../journal/log-folder.ts';
import { type LogWriter, recordIn } from '../journal/log-writer.ts';
import { rulesOf } from '../operation-rules.ts';
import { recordedOutcome } from '../recorded-outcome.ts';
import { findEarlier, hasOwnKey } from './earlier.ts';
import { formerValues } from './former.ts';
import { overtake } from './overtake.ts';
import { continueRecord, reported } from './resume.ts';
import { makeSafetyBackup, safetyIntent } from './safety-backup.ts';
import { sendRecord } from './send.ts';
import { planUndo } from './undo.ts';

export interface ChangeOptions extends SendOptions {
  /** Of the backup to make before a change that destroys something; none is made without it. */
  readonly safetyLabel?: string | undefined;
  /** An earlier record is continued: it is sent again if it is in doubt, else only reported. */
  onEarlier?(record: HistoryRecord): void;
}

/** What came of a change, and of its safety backup. */
export interface Changed extends Recorded {
  /** Null where none was asked for, or nothing was sent. Without `safetyBackupId`, the change was not begun. */
  readonly safetyBackup: Recorded | null;
  /** Of an earlier change in doubt that this command could not continue, because its safety backup failed; else null. */
  readonly inDoubt: HistoryRecord | null;
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
  options: ChangeOptions,
): Promise<Changed> {
  const { id: operation } = request.operation;
  const begin = await history.journal.acquire(`begin ${operation}`, options);
  let order: Awaited<ReturnType<typeof acquireOrder>> = null;
  try {
    let begun: Begun;
    try {
      order = await acquireOrder(history, operation, options);
      begun = await beginChange(history, request, options);
    } finally {
      begin.release();
    }
    return await (begun.isEarlier ? continueEarlier : sendNew)(history, begun, options);
  } finally {
    order?.release();
  }
}

/** Throws what {@link recordChange} would throw, but for what only a read can find out. Nothing is written or sent. */
export async function previewChange(
  history: History,
  request: ChangeRequest,
  options: SendOptions,
): Promise<void> {
  if (rulesOf(request.operation.id).again === 'reads') return;
  const known = readKnown(history, request);
  await findEarlier(history, request, intentOf(request, history.journal.store.storeId), known, options);
}

/** A change whose record is on disk, or an earlier one of the same command. */
interface Begun {
  readonly writer: LogWriter;
  /** Of its record, or of the safety backup that has to come before it is written. */
  readonly id: string;
  readonly isEarlier: boolean;
  readonly isSafetyBackup: boolean;
  readonly intent: Intent;
  /** What was known before it. */
  readonly known: readonly HistoryRecord[];
}

async function beginChange(history: History, request: ChangeRequest, options: ChangeOptions): Promise<Begun> {
  const { client, safetyLabel, signal } = options;
  refuseMovedUndo(history, request);
  const listing = listNames(history.journal);
  const known = readKnown(history, request, listing);
  client.pause(waitOf(known, history.journal.now()));
  const body =
    request.operation.class === 'keyed' && !hasOwnKey(request)
      ? { ...request.body, idempotencyKey: makeIdempotencyKey() }
      : request.body;
  const intent = withFormer(intentOf(request, history.journal.store.storeId, body), known);
  refuseSecret(intent, client);
  const earlier = await findEarlier(history, request, intent, known, options);
  const begun = { intent, known, isEarlier: earlier !== null, isSafetyBackup: false };
  if (earlier !== null)
    return { ...begun, writer: await history.reopen(logIdOf(earlier.id), options), id: earlier.id };
  const safety = safetyLabel === undefined ? undefined : safetyIntent(history, intent, safetyLabel);
  // The connection is opened while the record is written.
  if (!signal?.aborted) client.connect();
  const isSafetyBackup = safety !== undefined;
  const writer = await history.begin({
    operation: intent.operation,
    intents: [safety ?? intent],
    isBatch: isSafetyBackup,
    listing,
  });
  const [id = ''] = writer.records.keys();
  return { ...begun, writer, id, isSafetyBackup };
}

/** Between the question and the lock, another process may have undone the same, or changed it again. */
function refuseMovedUndo(history: History, { undoes, seenLater = [] }: ChangeRequest): void {
  if (!undoes) return;
  const moved = planUndo(history, undoes).later.find(({ id }) => !seenLater.includes(id));
  if (moved !== undefined) throw new RefusedError('changed_meanwhile', moved);
}

/** What a change has to know: a key of the user, and what the service takes only once, count whatever their age. */
function readKnown(history: History, request: ChangeRequest, listing?: Listing): HistoryRecord[] {
  const { id } = request.operation;
  const all = rulesOf(id).guard === 'once' || hasOwnKey(request);
  return history.readForChange(id, { all, listing });
}

/** The values that the request replaces, as far as this machine has seen them, where the caller does not know them. */
function withFormer(intent: Intent, known: readonly HistoryRecord[]): Intent {
  if (intent.former !== null || rulesOf(intent.operation).undo !== 'fields') return intent;
  return { ...intent, former: formerValues(intent, known) };
}

async function sendNew(
  history: History,
  { writer, id, isSafetyBackup, intent, known }: Begun,
  options: ChangeOptions,
): Promise<Changed> {
  const sending = { ...options, writer, now: history.journal.now };
  let safetyBackup: Recorded | null = null;
  if (isSafetyBackup) {
    const made = await makeSafetyBackup(sending, id, (safetyBackupId) =>
      writer.add({ ...intent, safetyBackupId }, { isMain: true }),
    );
    ({ safetyBackup } = made);
    if (!made.mayGoOn) return { ...safetyBackup, safetyBackup, inDoubt: null };
  }
  const sent = await sendRecord(sending, isSafetyBackup ? writer.id : id, { isFirst: true });
  if (sent.outcome.kind === 'applied') await overtake(history, sent.record, known);
  return { ...sent, safetyBackup, inDoubt: null };
}

async function continueEarlier(
  history: History,
  { writer, id, known }: Begun,
  options: ChangeOptions,
): Promise<Changed> {
  const record = recordIn(writer.records, id);
  const seen = known.find((other) => other.id === id);
  // Its process has ended while this one waited for it: what it found out is what this one reports.
  const wasRunning = seen?.updatedAt !== record.updatedAt;
  if (!wasRunning || recordedOutcome(record) === null) {
    options.onEarlier?.(record);
    // Giving the same key again confirms a change that destroys something.
    const isConfirmed = rulesOf(record.operation).preparation !== undefined;
    const resumed = await continueRecord(history, writer, record, { ...options, isConfirmed });
    if (resumed.action === 'left') throw new RefusedError('in_doubt', resumed.record);
    if (resumed.action !== 'overtaken') {
      const isPrepared = resumed.record.id === id;
      return { ...resumed, inDoubt: isPrepared ? null : recordIn(writer.records, id) };
    }
  }
  return { ...reported(recordIn(writer.records, id)), safetyBackup: null, inDoubt: null };
}
