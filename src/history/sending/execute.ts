import { buildPath } from '../../contract/operation.ts';
import { decideDispute } from '../../contract/operations/disputes.ts';
import { EarlierRequestError, HistoryError } from '../errors.ts';
import type { Lock, LockHolder } from '../files/lock.ts';
import type { History, Performed, SendOptions } from '../history.ts';
import { fingerprint } from '../records/fingerprint.ts';
import { isOpen } from '../records/outline.ts';
import { type HistoryRecord, lockName, mayHaveBeenApplied } from '../records/record.ts';
import { recordedOutcome } from '../records/recorded-outcome.ts';
import { type IntentDetails, intentOf, type Target } from '../records/request-intent.ts';
import { KEY_REUSE_MS, recordOfKey, recordToContinue } from './idempotency-key-reuse.ts';
import { resumeRecord } from './resume.ts';
import { sendRecord } from './send.ts';

/** What identifies a command, and so the earlier records that it continues. */
type CommandOptions = Pick<
  PerformOptions,
  'history' | 'operation' | 'origin' | 'storeId' | 'parameters' | 'body' | 'fresh'
>;

export interface PerformOptions extends SendOptions, Target, IntentDetails {
  /** The request body; that of a keyed operation may have an `idempotencyKey` of the user. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** The API key: a request that contains it is refused. */
  readonly secrets: readonly string[];
  /** A keyed operation: makes the key if the body has none. */
  makeKey(): string;
  /** A decision: when its dispute was read, in epoch milliseconds. It is not sent if another command has decided since. */
  readonly readAt?: number | undefined;
  /** A keyed operation: do not continue an open record of the same command, use a fresh key. */
  readonly fresh?: boolean | undefined;
  /**
   * Looks at the history before a record is created; what it throws ends the operation before anything is sent. No
   * other process begins the same operation for the store in between.
   */
  check?(history: History): Promise<void>;
  /** A keyed operation continues an earlier record: `open` ones are sent again, others only reported. */
  onEarlierRecord?(record: HistoryRecord, open: boolean): void;
  /** Another process is running the same operation. */
  onWait?(holder: LockHolder | null): void;
}

/**
 * Performs an operation that changes something, write-ahead: the record is on disk before the first byte is sent, and
 * the outcome is written into it. A keyed operation with a key that was used before, or given a second time while an
 * open record of it is young, continues that record: same key, same bytes, one effect. If another process is running
 * it, waits and reports its result.
 *
 * Throws a HistoryError, KeyReusedError or EarlierRequestError if nothing was sent, and a RangeError for an invalid path
 * parameter.
 */
export async function performRecorded(options: PerformOptions): Promise<Performed> {
  const { history, operation, signal } = options;
  const found = await history.withLock(
    `begin ${operation.id} ${options.origin} ${options.storeId}`,
    () => beginOrFind(options),
    { signal },
  );
  if (found.lock === null) return continueRecord(options, found.record);
  try {
    return await sendOrDiscard(options, found.lock, found.record);
  } finally {
    found.lock.release();
  }
}

async function beginOrFind(options: PerformOptions): Promise<{ record: HistoryRecord; lock: Lock | null }> {
  const { history, operation, makeKey } = options;
  let { body } = options;
  history.assertUndamaged();
  const decided = operation.id === decideDispute.id ? await settleEarlierDecision(options) : null;
  const earlier = await findEarlierRecord(options);
  if (earlier !== null) return { record: earlier, lock: null };
  if (decided !== null) throw new EarlierRequestError(decided);
  if (operation.class === 'keyed' && body?.idempotencyKey === undefined)
    body = { ...body, idempotencyKey: makeKey() };
  await options.check?.(history);
  const id = history.newId();
  // Locked before it can be seen, so that no `resume` starts it in between.
  const lock = await history.acquire(lockName({ id, batch: null }));
  try {
    return { record: await history.begin({ ...intentOf(options, body), id }, options.secrets), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Settles an earlier decision of the same dispute that is in doubt, by reading. Throws an EarlierRequestError if the read
 * does not show it: a second decision must not be sent then. Returns the record of a decision that was applied since the
 * dispute was read, or null.
 */
export async function settleEarlierDecision(
  options: SendOptions & Pick<PerformOptions, 'operation' | 'origin' | 'storeId' | 'parameters' | 'readAt'>,
): Promise<HistoryRecord | null> {
  const { history, operation, origin, storeId, parameters, readAt = Infinity } = options;
  let applied: HistoryRecord | null = null;
  const path = buildPath(operation, { ...parameters, storeId });
  for (const found of (await history.list({ operation: operation.id, origin, storeId, path })).records) {
    // A record that another process is about to send, or is sending, is locked: this waits for it.
    const record = isOpen(found) ? (await resumeRecord({ ...options, record: found })).record : found;
    if (mayHaveBeenApplied(record)) throw new EarlierRequestError(record);
    const isNew = isOpen(found) || Date.parse(record.updatedAt) >= readAt;
    if (record.state === 'applied' && isNew) applied = record;
  }
  return applied;
}

/**
 * The record that {@link performRecorded} would continue instead of creating a new one, or null.
 * Throws a KeyReusedError if the key was used for another command.
 */
export async function findEarlierRecord(options: CommandOptions): Promise<HistoryRecord | null> {
  const { history, origin, storeId, body } = options;
  const operation = options.operation.id;
  if (options.operation.class !== 'keyed' && operation !== decideDispute.id) return null;
  const path = buildPath(options.operation, { ...options.parameters, storeId });
  const command = fingerprint({ operation, origin, storeId, path, body: JSON.stringify(body ?? {}) });
  const key = body?.idempotencyKey;
  if (typeof key === 'string') {
    const { records } = await history.list({ operation, origin, storeId, idempotencyKey: key });
    return recordOfKey(records, command);
  }
  if (options.fresh === true) return null;
  const { records } = await history.list({ fingerprint: command, maxAgeMs: KEY_REUSE_MS });
  return recordToContinue(records, history.now());
}

async function continueRecord(options: PerformOptions, found: HistoryRecord): Promise<Performed> {
  const { history, signal } = options;
  let waited = false;
  const onWait = (holder: LockHolder | null) => {
    waited = true;
    options.onWait?.(holder);
  };
  return history.withLock(
    lockName(found),
    async (lock) => {
      const record = await history.get(found.id);
      const outcome = recordedOutcome(record);
      const finished = !isOpen(record) || waited;
      options.onEarlierRecord?.(record, outcome === null || !finished);
      if (outcome !== null && finished) return { record, isRecorded: true, outcome, warnings: [] };
      return sendOrDiscard(options, lock, record);
    },
    { signal, onWait },
  );
}

/** Where the user is told that nothing was sent, a later `resume` must not send it. */
async function sendOrDiscard(options: PerformOptions, lock: Lock, record: HistoryRecord): Promise<Performed> {
  try {
    return await sendRecord(options, lock, record);
  } catch (error) {
    const isCertain = error instanceof HistoryError && error.code !== 'history_busy';
    if (isCertain && record.state === 'prepared') options.history.discard(record);
    throw error;
  }
}
