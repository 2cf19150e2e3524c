import { decideDispute } from '../../contract/operations/disputes.ts';
import { saveSettings } from '../../contract/operations/settings.ts';
import { findOperation } from '../../contract/operations.ts';
import type { Lock, LockHolder } from '../files/lock.ts';
import type { History, Performed, SendOptions } from '../history.ts';
import { isOpen } from '../records/outline.ts';
import {
  type HistoryRecord,
  isUntold,
  lockName,
  mayHaveBeenApplied,
  rawOperationId,
  recordAge,
} from '../records/record.ts';
import { markedByHand, patchOf, recordedOutcome } from '../records/recorded-outcome.ts';
import { KEY_REUSE_MS } from './idempotency-key-reuse.ts';
import { sendRecord } from './send.ts';

export interface ResumeOptions extends SendOptions {
  readonly record: HistoryRecord;
  /** Where the client sends to: a record of another origin or store is left alone. */
  readonly origin: string;
  readonly storeId: string;
  /** Settle by reading only: what would have to be sent again is left. */
  readonly withoutSending?: boolean | undefined;
  readonly onWait?: ((holder: LockHolder | null) => void) | undefined;
}

/**
 * What `resume` did about a record:
 * - `sent`: sent again, with this outcome.
 * - `settled`: found out by reading, or certain from the record itself.
 * - `finished`: it has ended already, perhaps by another process just now.
 * - `left`: nothing; `reason` is a stable code and `advice` tells a person what to do.
 */
export type Resumed =
  | ({ readonly action: 'sent' | 'settled' | 'finished' } & Performed)
  | {
      readonly action: 'left';
      readonly record: HistoryRecord;
      readonly reason: LeftReason;
      readonly advice: string;
    };

type LeftReason = 'elsewhere' | 'unknown_operation' | 'too_old' | 'overtaken' | 'not_settled' | 'one_shot';

/**
 * Continues an open record, under its lock. Keyed and repeatable operations are sent again, byte for byte, unless that
 * could do it twice; an operation whose effect can be read is settled by reading first; a one-shot operation is never
 * sent again. Throws a HistoryError if nothing was sent.
 */
export async function resumeRecord(options: ResumeOptions): Promise<Resumed> {
  const { history, signal, onWait } = options;
  history.assertUndamaged();
  return history.withLock(
    lockName(options.record),
    async (lock) => {
      const record = await history.get(options.record.id);
      const outcome = recordedOutcome(record);
      if (!isOpen(record) && outcome !== null) {
        return { action: 'finished', record, isRecorded: true, outcome, warnings: [] };
      }
      const obstacle = findObstacle(options, record);
      if (obstacle !== null) return { action: 'left', record, ...obstacle };
      const later = await findLaterChanges(options, record);
      const twin = later.find(({ fingerprint }) => fingerprint === record.fingerprint);
      if (twin !== undefined) return settleByTwin(options, record, twin);
      if (later[0] !== undefined) return { action: 'left', record, ...overtakenBy(record, later[0]) };
      if (isReadFirst(record)) return settleOrSend(options, lock, record);
      if (record.class === 'one-shot') return leaveOneShot(options, record);
      return sendAgain(options, lock, record);
    },
    { signal, onWait },
  );
}

/** What {@link resumeRecord} is for, oldest first: open records, and those that were applied without the user being told. */
export async function unsettledRecords(history: History): Promise<HistoryRecord[]> {
  const { records } = await history.list();
  return records.filter((record) => isOpen(record) || isUntold(record)).reverse();
}

/** Whether a read shows what became of it: see reconcile.ts, which is loaded when it is needed. */
function canSettleByReading({ operation }: HistoryRecord): boolean {
  return operation === decideDispute.id || operation === saveSettings.id;
}

/** A save was to replace a document that was read: even if it was never sent, somebody may have changed that since. */
function isReadFirst(record: HistoryRecord): boolean {
  return record.operation === saveSettings.id || (mayHaveBeenApplied(record) && canSettleByReading(record));
}

type Left = Pick<Extract<Resumed, { action: 'left' }>, 'reason' | 'advice'>;

function findObstacle(options: ResumeOptions, record: HistoryRecord): Left | null {
  const { history, origin, storeId } = options;
  if (findOperation(record.operation) === undefined && record.operation !== rawOperationId) {
    const advice = `This version of storectl does not support ${record.operation}. Update storectl, then run \`storectl resume ${record.id}\` again.`;
    return { reason: 'unknown_operation', advice };
  }
  if (record.origin !== origin || record.storeId !== storeId) {
    const place = `store ${record.storeId} @ ${record.origin}`;
    return {
      reason: 'elsewhere',
      advice: `The change belongs to ${place}. Run \`storectl resume\` with the profile of that store. If there is no such store, run \`storectl resume ${record.id} --mark not-applied\`.`,
    };
  }
  const sendsAgain = !canSettleByReading(record) && record.class !== 'one-shot';
  const isOld = recordAge(record, history.now()) > KEY_REUSE_MS;
  if (sendsAgain && isOld && mayHaveBeenApplied(record)) {
    const why =
      record.class === 'keyed'
        ? 'the service may have forgotten its idempotency key and apply it twice'
        : 'it would undo what others have changed since';
    const advice =
      `It was sent so long ago that ${why}. Check the store. If the change is there, run \`storectl resume ${record.id} --mark applied\`. ` +
      `If not, run \`storectl resume ${record.id} --mark not-applied\`, then run the command again.`;
    return { reason: 'too_old', advice };
  }
  return null;
}

/**
 * Later changes of the same resource that were applied, or may have been with other values, newest first, if a repeatable
 * change may not be sent late.
 */
async function findLaterChanges(options: ResumeOptions, record: HistoryRecord): Promise<HistoryRecord[]> {
  if (record.class !== 'repeatable') return [];
  const { history } = options;
  const { operation, origin, storeId, path, createdAt, fingerprint } = record;
  const { records } = await history.list({ operation, origin, storeId, path });
  const found = records.filter(
    (other) => other.state === 'applied' || (mayHaveBeenApplied(other) && other.fingerprint !== fingerprint),
  );
  // If the clock was set back since, any of them may be later.
  const isFromFuture = Date.parse(createdAt) > history.now();
  return found.filter((other) => other.id !== record.id && (isFromFuture || other.createdAt > createdAt));
}

/** A repeatable change in doubt is settled if the same change was applied later. */
async function settleByTwin(
  { history }: ResumeOptions,
  record: HistoryRecord,
  twin: HistoryRecord,
): Promise<Resumed> {
  // The wait that the store asked for still holds.
  const retryAt = record.answer?.retryAt ?? null;
  const answer = twin.answer && { ...twin.answer, retryAt, settledByReading: true };
  const settled = await history.update(record, { state: 'applied', answer, failure: null });
  const outcome = recordedOutcome(settled);
  if (outcome === null) throw new RangeError(`${record.id} has no outcome`);
  const warnings = [`The same change was applied later by ${twin.id}.`];
  return { action: 'settled', record: settled, isRecorded: true, outcome, warnings };
}

/** A repeatable change sets what it names: sent late, it would put its older values over newer ones. */
function overtakenBy(record: HistoryRecord, later: HistoryRecord): Left {
  const advice =
    `${later.id} was ${later.state === 'applied' ? 'applied' : 'sent'} later, and sending this again could overwrite newer values. Check the store. ` +
    `If this change is there, or was there before the later one, run \`storectl resume ${record.id} --mark applied\`. ` +
    `If not, run \`storectl resume ${record.id} --mark not-applied\`; if you still want it, run the command again.`;
  return { reason: 'overtaken', advice };
}

/** Settings that read as before are saved again; a decision never is. */
async function settleOrSend(options: ResumeOptions, lock: Lock, opened: HistoryRecord): Promise<Resumed> {
  const record = await endAsUnknown(options, opened);
  const { settleByReading } = await import('./reconcile.ts');
  const finding = await settleByReading(options, record);
  if (finding.verdict === 'settled') {
    const { outcome, note } = finding;
    const settled = await options.history.update(record, patchOf(outcome, options.history.now(), true));
    return { action: 'settled', record: settled, isRecorded: true, outcome, warnings: [note] };
  }
  if (finding.verdict === 'untouched' && record.operation === saveSettings.id) {
    return sendAgain(options, lock, record);
  }
  return left(record, finding.note);
}

async function sendAgain(options: ResumeOptions, lock: Lock, record: HistoryRecord): Promise<Resumed> {
  if (options.withoutSending) {
    return left(
      record,
      `Not sent again, because of --dry-run. Run \`storectl resume ${record.id}\` to send it again; it takes effect only once.`,
    );
  }
  const operation = findOperation(record.operation);
  // findObstacle has left such a record alone.
  if (operation === undefined) throw new RangeError(`${record.operation} is not an operation`);
  return { action: 'sent', ...(await sendRecord({ ...options, operation }, lock, record)) };
}

function left(record: HistoryRecord, note: string | null): Resumed {
  const advice =
    note ??
    `Could not find out whether the change was applied. Run \`storectl resume ${record.id}\` again later.`;
  return { action: 'left', record, reason: 'not_settled', advice };
}

async function leaveOneShot(options: ResumeOptions, record: HistoryRecord): Promise<Resumed> {
  if (mayHaveBeenApplied(record)) {
    const command = `storectl resume ${record.id} --mark`;
    // Only posts are sent once and in batches.
    const advice =
      record.batch === null
        ? 'The response was lost, and the change cannot be sent again safely. Check the store. If the change is there, ' +
          `run \`${command} applied\`. If not, run \`${command} not-applied\`, then run the command again.`
        : 'The response was lost. Run the same `storectl blog create` command again: it checks the posts that were ' +
          `sent, and creates none twice. If you cannot run it again, look at the store's blog. If the post is there, run \`${command} applied\`. ` +
          `If not, run \`${command} not-applied\`.`;
    return { action: 'left', record: await endAsUnknown(options, record), reason: 'one_shot', advice };
  }
  const failure = { code: 'cancelled', message: 'storectl exited before sending' } as const;
  const { attempts } = record;
  const outcome = { kind: 'not_sent', attempts, requestId: null, retryAt: null, failure } as const;
  const closed = await options.history.update(record, patchOf(outcome, options.history.now(), false));
  const warnings = ['Nothing was applied. Run the command again if you still want the change.'];
  return { action: 'settled', record: closed, isRecorded: true, outcome, warnings };
}

/** A record that says `sent` under our lock belongs to a process that was killed: its answer is lost. */
async function endAsUnknown(options: ResumeOptions, record: HistoryRecord): Promise<HistoryRecord> {
  if (record.state !== 'sent') return record;
  const failure = { code: 'connection_lost', message: 'storectl exited before the response arrived' };
  return options.history.update(record, { state: 'unknown', failure });
}

/**
 * Ends an open record with what a person found out by looking at the store, under the record's lock. Nothing is sent.
 * A record that has ended already is returned as it is.
 */
export async function markRecord(
  { history, signal }: Pick<SendOptions, 'history' | 'signal'>,
  id: string,
  found: 'applied' | 'not_sent',
): Promise<HistoryRecord> {
  history.assertUndamaged();
  const marked = await history.get(id);
  return history.withLock(
    lockName(marked),
    async () => {
      const record = await history.get(marked.id);
      if (!isOpen(record)) return record;
      const failure = { code: markedByHand, message: 'marked by hand' };
      return history.update(record, { state: found, failure, reported: true });
    },
    { signal },
  );
}
