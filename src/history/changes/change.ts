import { RefusedError } from '../errors.ts';
import {
  acquireOrder,
  type History,
  isKeyForgotten,
  lockOptionsOf,
  logIdOf,
  type Recorded,
  recordAge,
  type SendOptions,
  waitOf,
} from '../history.ts';
import { type ChangeRequest, intentOf, isSameCommand } from '../intent.ts';
import type { Lock } from '../journal/files/lock.ts';
import { type HistoryRecord, type Intent, isInDoubt } from '../journal/history-record.ts';
import type { LogWriter } from '../journal/journal.ts';
import { existenceAfter } from '../objects/existing.ts';
import { rulesOf } from '../operation-rules.ts';
import { recordedOutcome } from '../recorded-outcome.ts';
import { formerValues } from './former.ts';
import { overtake } from './overtake.ts';
import { continueRecord } from './resume.ts';
import { makeSafetyBackup, type SafetyBackup, safetyIntent } from './safety-backup.ts';
import { recordIn, sendRecord } from './send.ts';
import { settleDecided } from './settle-decided.ts';
import { planUndo } from './undo.ts';

/** How long the same content counts as sent twice by mistake. */
const duplicateMs = 24 * 3_600_000;

export interface ChangeOptions extends SendOptions {
  /** The API key: a request that contains it is refused. */
  readonly secrets: readonly string[];
  /** A new idempotency key. */
  makeKey(): string;
  /** Makes the backup that comes before a change that destroys something. */
  readonly safetyBackup?: SafetyBackup | undefined;
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
  const { journal } = history;
  const { id: operation } = request.operation;
  const begin = await journal.acquire(`begin ${operation}`, lockOptionsOf(options));
  let order: Lock | null = null;
  try {
    let begun: Begun;
    try {
      order = await acquireOrder(history, operation, options);
      begun = await beginChange(history, request, options);
    } finally {
      begin.release();
    }
    return await finishChange(history, begun, options);
  } finally {
    order?.release();
  }
}

/**
 * The record that {@link recordChange} would continue, or null; nothing is written or sent. Throws what it would throw, but
 * for what only a read can find out.
 */
export async function previewChange(
  history: History,
  request: ChangeRequest,
  options: SendOptions,
): Promise<HistoryRecord | null> {
  const rules = rulesOf(request.operation.id);
  if (rules.again === 'reads') return null;
  const known = readKnown(history, request);
  return findEarlier(history, request, intentOf(request, history.journal.store.storeId), known, options);
}

/** A change whose record is on disk, or an earlier one of the same command. */
type Begun = {
  readonly writer: LogWriter;
  /** What was known before it. */
  readonly known: readonly HistoryRecord[];
  /** Null if it has to wait for its safety backup. */
  readonly id: string | null;
  readonly isEarlier: boolean;
  readonly intent: Intent;
};

async function beginChange(history: History, request: ChangeRequest, options: ChangeOptions): Promise<Begun> {
  const { journal } = history;
  refuseMovedUndo(history, request);
  const known = readKnown(history, request);
  options.client.pause(waitOf(known, journal.now()));
  const { class: operationClass } = request.operation;
  const body =
    operationClass === 'keyed' && !hasOwnKey(request)
      ? { ...request.body, idempotencyKey: options.makeKey() }
      : request.body;
  const intent = withFormer(intentOf(request, journal.store.storeId, body), known);
  const earlier = await findEarlier(history, request, intent, known, options);
  if (earlier !== null) {
    const writer = await history.reopen(logIdOf(earlier.id), lockOptionsOf(options));
    return { writer, known, id: earlier.id, isEarlier: true, intent };
  }
  const safety = options.safetyBackup && safetyIntent(history, intent, options.safetyBackup);
  // The connection is opened while the record is written.
  if (!options.signal?.aborted) options.client.connect();
  const writer = await journal.begin({
    operation: intent.operation,
    intents: [safety ?? intent],
    isBatch: safety !== undefined,
    secrets: options.secrets,
  });
  history.keep(writer);
  return { writer, known, id: safety === undefined ? writer.id : null, isEarlier: false, intent };
}

/** Between the question and the lock, another process may have undone the same, or changed it again. */
function refuseMovedUndo(history: History, { undoes, seenLater = [] }: ChangeRequest): void {
  if (!undoes) return;
  const moved = planUndo(history, undoes).later.find(({ id }) => !seenLater.includes(id));
  if (moved !== undefined) throw new RefusedError('changed_meanwhile', moved);
}

function hasOwnKey({ body }: ChangeRequest): boolean {
  return typeof body?.idempotencyKey === 'string';
}

/** What a change has to know: a key of the user, and what the service takes only once, count whatever their age. */
function readKnown(history: History, request: ChangeRequest): HistoryRecord[] {
  const { id } = request.operation;
  return history.readForChange(id, { all: rulesOf(id).guard === 'once' || hasOwnKey(request) });
}

/** What two commands have in common that are the same for the rules. */
export function sameCommandBy(operation: string): 'path' | 'fingerprint' {
  const rules = rulesOf(operation);
  return rules.guard === 'once' || rules.again === 'reads' ? 'path' : 'fingerprint';
}

/** The values that the request replaces, as far as this machine has seen them, where the caller does not know them. */
function withFormer(intent: Intent, known: readonly HistoryRecord[]): Intent {
  if (intent.former !== null || rulesOf(intent.operation).undo !== 'fields') return intent;
  return { ...intent, former: formerValues(intent, known) };
}

async function finishChange(history: History, begun: Begun, options: ChangeOptions): Promise<Changed> {
  const { journal } = history;
  const { writer, isEarlier, intent } = begun;
  const sending = { ...options, writer, now: journal.now };
  if (isEarlier) return continueEarlier(history, begun, recordIn(writer, begun.id ?? ''), options);
  let { id } = begun;
  let safetyBackup: Recorded | null = null;
  if (id === null) {
    const made = await makeSafetyBackup(sending, `${writer.id}.1`, (safetyBackupId) =>
      writer.add([{ ...intent, safetyBackupId }], { isMain: true }),
    );
    ({ safetyBackup } = made);
    if (!made.mayGoOn) return { ...safetyBackup, safetyBackup, inDoubt: null };
    id = writer.id;
  }
  const sent = await sendRecord(sending, id, { isFirst: true });
  if (sent.outcome.kind === 'applied') await overtake(history, sent.record, begun.known);
  return { ...sent, safetyBackup, inDoubt: null };
}

async function continueEarlier(
  history: History,
  { writer, known }: Begun,
  record: HistoryRecord,
  options: ChangeOptions,
): Promise<Changed> {
  const seen = known.find(({ id }) => id === record.id);
  // Its process has ended while this one waited for it: what it found out is what this one reports.
  const wasRunning = seen?.updatedAt !== record.updatedAt;
  if (!wasRunning || recordedOutcome(record) === null) {
    options.onEarlier?.(record);
    // Giving the same key again confirms a change that destroys something.
    const isConfirmed = rulesOf(record.operation).preparation !== undefined;
    const resumed = await continueRecord(history, writer, record, { ...options, isConfirmed });
    if (resumed.action === 'left') throw new RefusedError('in_doubt', resumed.record);
    if (resumed.action !== 'overtaken') {
      const isPrepared = resumed.record.id === record.id;
      return { ...resumed, inDoubt: isPrepared ? null : recordIn(writer, record.id) };
    }
  }
  const now = recordIn(writer, record.id);
  const outcome = recordedOutcome(now);
  if (outcome === null) throw new RefusedError('in_doubt', now);
  return {
    record: now,
    outcome,
    isEarlier: true,
    recordingError: null,
    finding: null,
    safetyBackup: null,
    inDoubt: null,
  };
}

/**
 * The record that a command continues instead of beginning anew, or null. Settles what can be settled before, and throws a
 * RefusedError where the rules of the operation refuse the command.
 */
export async function findEarlier(
  history: History,
  request: ChangeRequest,
  intent: Intent,
  known: readonly HistoryRecord[],
  options: SendOptions,
): Promise<HistoryRecord | null> {
  const { journal } = history;
  if (hasOwnKey(request)) return ofKey(known, intent, journal.now());
  const rules = rulesOf(intent.operation);
  if (rules.again === 'sends') return null;
  const by = sameCommandBy(intent.operation);
  for (const found of known.filter((record) => isSameCommand(record, intent, by))) {
    // Another process may be about to learn what came of it.
    const record = isInDoubt(found) ? await waitForHolder(history, found, options) : found;
    if (rules.again === 'reads') {
      const settled = await settleDecided(history, request, intent, record, options);
      if (settled !== null) return settled;
    } else if (rules.again === 'continues') {
      const isOwn = isInDoubt(record) || (record.state === 'applied' && (record.open || record !== found));
      if (!isOwn || request.fresh) continue;
      // Telling what came of it needs no key.
      if (record.state === 'applied') return record;
      if (!isKeyForgotten(record, journal.now()) && !record.unreadable) return record;
      if (isInDoubt(record)) throw new RefusedError('in_doubt', record);
    } else if (rules.again === 'refused' && !request.allowDuplicate) {
      if (isInDoubt(record)) throw new RefusedError('in_doubt', record);
      if (record.state !== 'applied') continue;
      if (rules.guard === 'once') throw new RefusedError('only_once', record);
      const isRecent = recordAge(record, journal.now()) < duplicateMs;
      if (rules.guard === 'duplicate' && isRecent && existenceAfter(history.list().records)(record))
        throw new RefusedError('duplicate', record);
    }
  }
  return null;
}

/**
 * With a key of the user, the same key is one effect: the record that was, or may yet be, applied. After a definite refusal,
 * or if nothing was sent, the key may be used with corrected arguments.
 */
function ofKey(known: readonly HistoryRecord[], intent: Intent, now: number): HistoryRecord | null {
  const own = known.filter(({ operation }) => operation === intent.operation);
  const used = own.filter(
    (record) =>
      record.idempotencyKey === intent.idempotencyKey &&
      !record.unreadable &&
      (isInDoubt(record) || record.state === 'applied' || record.overtakenBy !== null),
  );
  const other = used.find((record) => record.fingerprint !== intent.fingerprint);
  if (other !== undefined) throw new RefusedError('key_reused', other);
  const found = used.find((record) => record.state === 'applied') ?? used[0] ?? null;
  const lost = own.find((record) => record.unreadable && isInDoubt(record));
  const inDoubt = found === null ? lost : isInDoubt(found) && isKeyForgotten(found, now) ? found : undefined;
  if (inDoubt !== undefined) throw new RefusedError('in_doubt', inDoubt);
  return found;
}

/** The record as the process that holds its log has left it. */
async function waitForHolder(
  history: History,
  record: HistoryRecord,
  options: SendOptions,
): Promise<HistoryRecord> {
  const logId = logIdOf(record.id);
  if (!history.isHeldElsewhere(logId)) return record;
  (await history.journal.acquireLog(logId, lockOptionsOf(options))).release();
  return history.get(record.id);
}
