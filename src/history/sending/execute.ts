import { buildPath } from '../../contract/operation.ts';
import type { Lock, LockHolder } from '../files/lock.ts';
import type { History, Performed, SendOptions } from '../history.ts';
import { fingerprint } from '../records/fingerprint.ts';
import { isOpen } from '../records/outline.ts';
import { type HistoryRecord, lockName } from '../records/record.ts';
import { recordedOutcome } from '../records/recorded-outcome.ts';
import { type IntentDetails, intentOf, type Target } from '../records/request-intent.ts';
import { KEY_REUSE_MS, recordOfKey, recordToGoOnWith } from './idempotency-key-reuse.ts';
import { sendRecord } from './send.ts';

/** What makes a command, and which earlier ones it goes on with. */
type CommandOptions = Pick<
  PerformOptions,
  'history' | 'operation' | 'origin' | 'storeId' | 'parameters' | 'body' | 'fresh'
>;

export interface PerformOptions extends SendOptions, Target, IntentDetails {
  /** The request body; a keyed operation's may hold an `idempotencyKey` of the user's. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** The API key: a request that holds it is refused. */
  readonly secrets: readonly string[];
  /** A keyed operation: makes the key where the body has none. */
  makeKey?(): string;
  /** A keyed operation: do not go on with an open record of the same command, ask for a fresh key. */
  readonly fresh?: boolean | undefined;
  /**
   * Looks at the history before a record is begun; what it throws ends the operation before anything is sent. No other
   * process begins the same operation for the store in between.
   */
  check?(history: History): Promise<void>;
  /** A keyed operation goes on with an earlier record: `open` ones are sent again, others only reported. */
  onEarlierRecord?(record: HistoryRecord, open: boolean): void;
  /** Another process is at work on the same operation. */
  onWait?(holder: LockHolder | null): void;
}

/**
 * Performs an operation that changes something, write-ahead: the record is on disk before the first byte is sent, and
 * the outcome is written into it. A keyed operation with a key that was used before, or given a second time while an
 * open record of it is young, goes on with that record: same key, same bytes, one effect. Where another process is at
 * it, waits and reports what came of it.
 *
 * Throws a HistoryError or KeyReusedError when nothing was sent, and a RangeError for an unfit path parameter.
 */
export async function performRecorded(options: PerformOptions): Promise<Performed> {
  const { history, operation, signal } = options;
  const found = await history.withLock(
    `begin ${operation.id} ${options.origin} ${options.storeId}`,
    () => beginOrFind(options),
    { signal },
  );
  if (found.lock === null) return goOnWith(options, found.record);
  try {
    return await sendRecord(options, found.lock, found.record);
  } finally {
    found.lock.release();
  }
}

async function beginOrFind(options: PerformOptions): Promise<{ record: HistoryRecord; lock: Lock | null }> {
  const { history, operation, makeKey } = options;
  let { body } = options;
  if (operation.class === 'keyed') {
    const earlier = await findEarlierRecord(options);
    if (earlier !== null) return { record: earlier, lock: null };
    if (makeKey !== undefined && options.bodyText === undefined && body?.idempotencyKey === undefined)
      body = { ...body, idempotencyKey: makeKey() };
  }
  await options.check?.(history);
  const id = history.newId();
  // Locked before it can be seen, so that no resume takes it up in between.
  const lock = await history.acquire(lockName({ id, batch: null }));
  try {
    return { record: await history.begin({ ...intentOf(options, body), id }, options.secrets), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The record that {@link performRecorded} would go on with instead of beginning a new one, or null.
 * Throws a KeyReusedError when the key was used for another command.
 */
export async function findEarlierRecord(options: CommandOptions): Promise<HistoryRecord | null> {
  const { history, origin, storeId, body } = options;
  const operation = options.operation.id;
  const path = buildPath(options.operation, { ...options.parameters, storeId });
  const command = fingerprint({ operation, origin, storeId, path, body: body && JSON.stringify(body) });
  const key = body?.idempotencyKey;
  if (typeof key === 'string') {
    const { records } = await history.list({ operation, origin, storeId, idempotencyKey: key });
    return recordOfKey(records, command);
  }
  if (options.fresh === true) return null;
  const { records } = await history.list({ fingerprint: command, maxAgeMs: KEY_REUSE_MS });
  return recordToGoOnWith(records, history.now());
}

async function goOnWith(options: PerformOptions, found: HistoryRecord): Promise<Performed> {
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
      if (outcome !== null && finished) return { record, outcome, warnings: [] };
      return sendRecord(options, lock, record);
    },
    { signal, onWait },
  );
}
