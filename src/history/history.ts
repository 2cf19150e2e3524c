import { asObject, parseJson } from '../base/json.ts';
import { memoize } from '../base/memoize.ts';
import type { CallInput, Client } from '../client/client.ts';
import type { Outcome } from '../client/outcome.ts';
import { DamagedError, HistoryError } from './errors.ts';
import type { Lock, LockHolder, LockOptions } from './journal/files/lock.ts';
import type { HistoryRecord, RecordState } from './journal/history-record.ts';
import { isLogHeld, type Journal, type JournalSettings, openJournal } from './journal/journal.ts';
import {
  findForeign,
  type HistoryProblem,
  type Listing,
  listLogs,
  listNames,
  problemOf,
  readRecords,
} from './journal/log-folder.ts';
import { dayOf, isOldName, type LogName } from './journal/log-name.ts';
import type { LogWriter } from './journal/log-writer.ts';
import { beginLog, type LogStart, reopenLog } from './journal/open-log.ts';
import { remainingWait, settleLog } from './journal/settle.ts';
import { rulesOf } from './operation-rules.ts';

/** What this machine knows of the changes of one store. */
export interface History {
  readonly journal: Journal;
  /** Newest first. Logs that cannot be used are problems, not errors. */
  list(query?: RecordQuery): { records: HistoryRecord[]; problems: HistoryProblem[] };
  /** The records of {@link list}. Throws a DamagedError if a log cannot be used. */
  listWhole(query?: RecordQuery): HistoryRecord[];
  /** The records with this id: one, or all of the log whose id it is. Throws a HistoryError `record_not_found`. */
  recordsOf(id: string): HistoryRecord[];
  /** The only one of {@link recordsOf}. */
  get(id: string): HistoryRecord;
  /**
   * What a change of this operation has to know, newest first: what is open, and the latest changes of its own operation (all
   * of them with `all`). Throws a DamagedError if part of it cannot be read.
   */
  readForChange(
    operation: string,
    options?: { readonly all?: boolean; readonly listing?: Listing | undefined },
  ): HistoryRecord[];
  /**
   * Milliseconds for which the store has asked commands before this process to send it nothing: they are looked for once.
   * Throws a HistoryError for a damaged log.
   */
  storeWait(): number;
  /** What came after a record and may touch the same. Throws a DamagedError if part of it cannot be read. */
  readLater(record: HistoryRecord): HistoryRecord[];
  /** Makes a log with its first records. */
  begin(start: LogStart): Promise<LogWriter>;
  /** Takes the lock of a log, once in a process: its writer is shared until {@link end}. */
  reopen(logId: string, options?: LockOptions): Promise<LogWriter>;
  /** Whether another process works on a log. */
  isHeldElsewhere(logId: string): boolean;
  /** What `find` resolves to, found out once in this process. */
  remember(key: string, find: () => Promise<boolean | null>): Promise<boolean | null>;
  /**
   * To be called when the outcomes have reached the user: closes the logs of this process, so that what has an outcome is no
   * longer open. Never rejects.
   */
  end(): Promise<void>;
}

/** Which records; each field that is given narrows them down. */
interface RecordQuery {
  readonly operation?: string | undefined;
  readonly state?: RecordState | undefined;
  readonly open?: boolean | undefined;
}

/** What every function that sends needs. */
export interface SendOptions {
  readonly client: Client;
  readonly timeoutMs?: CallInput['timeoutMs'] | undefined;
  readonly signal?: CallInput['signal'] | undefined;
  /** Another process works on the same. */
  onWait?(holder: LockHolder | null): void;
  /** Between two reads of something that may still be changing, in milliseconds; 2 s by default. */
  readonly settlePauseMs?: number | undefined;
}

/** What came of a change. */
export interface Recorded {
  readonly record: HistoryRecord;
  /** By all that this machine knows: if an earlier attempt may have been applied, a later refusal leaves it `unknown`. */
  readonly outcome: Outcome;
  /** Nothing was sent: this is what came of the same request before. */
  readonly isEarlier: boolean;
  /** False if the outcome could not be written down, because of `recordingError`. The record stays open then. */
  readonly recordingError: HistoryError | null;
  /** What a read after a lost response has shown. */
  readonly finding: Finding | null;
}

/** See `Proof.judge`; `unreadable` if the read failed. */
export type Finding = 'applied' | 'untouched' | 'other' | 'unreadable';

const dayMs = 24 * 3_600_000;
/** A change reads at least this many logs of its operation, and all that are younger than {@link recentMs}. */
const minRead = 20;
const recentMs = 2 * dayMs;

/** The history in a folder. Touches nothing until it is used. */
export function openHistory(settings: JournalSettings): History {
  const journal = openJournal(settings);
  const writers = new Map<string, LogWriter>();
  const reopening = new Map<string, Promise<LogWriter>>();
  const facts = new Map<string, Promise<boolean | null>>();

  /** Of this process as far as it has the log open, else from disk. */
  const read = (log: LogName) => [...(writers.get(log.id)?.records.values() ?? readRecords(journal, log))];

  const mayHold = (log: LogName, operation: string) =>
    log.operation === operation ||
    rulesOf(operation).recordedWith?.some((other) => other === log.operation) === true;

  function list(query: RecordQuery = {}) {
    const records: HistoryRecord[] = [];
    const listing = listNames(journal);
    const problems = findForeign(journal, listing);
    for (const log of listLogs(journal, listing).reverse()) {
      if (query.operation !== undefined && !mayHold(log, query.operation)) continue;
      try {
        records.push(
          ...read(log)
            .reverse()
            .filter((record) => matches(record, query)),
        );
      } catch (error) {
        problems.push(problemOf(journal, log, error));
      }
    }
    return { records, problems };
  }

  function recordsOf(id: string): HistoryRecord[] {
    const wanted = id.toLowerCase();
    const [logId = ''] = wanted.split('.');
    const log = listLogs(journal).find((found) => found.id === logId);
    const records = log === undefined ? [] : read(log);
    const exact = records.filter((record) => record.id === wanted);
    const found = exact.length > 0 || wanted !== logId ? exact : records;
    if (found.length > 0) return found;
    const labelled = list().records.find(({ body }) => asObject(parseJson(body)).label === id);
    const label = labelled === undefined ? '' : `, but it is the label of ${labelled.id}`;
    throw new HistoryError('record_not_found', `no change "${id}" in the history of this store${label}`);
  }

  function readForChange(
    operation: string,
    { all = false, listing }: { all?: boolean; listing?: Listing | undefined } = {},
  ): HistoryRecord[] {
    const since = dayOf(journal.now() - recentMs);
    const { recordedWith = [], isReplacedBy = [] } = rulesOf(operation);
    const operations: readonly string[] = [operation, ...recordedWith, ...isReplacedBy];
    let count = 0;
    const mayMatter = (name: string) => {
      if (!isOldName(name, since)) return true;
      if (!all && count >= minRead) return false;
      if (!operations.some((other) => name.includes(`-${other}.`))) return false;
      count += 1;
      return true;
    };
    const logs = listLogs(journal, listing, mayMatter).reverse();
    const own = logs.filter((log) => operations.includes(log.operation));
    const recent = new Set(own.filter((log, index) => all || index < minRead || log.date >= since));
    return logs
      .filter((log) => log.status !== 'closed' || recent.has(log))
      .flatMap((log) => {
        const records = read(log).reverse();
        // Its wait may be over: then others need not read it again.
        if (log.status === 'unsettled' && !records.some(({ open }) => open)) void settleLog(journal, log);
        return records;
      });
  }

  const earlierWaits = memoize(() =>
    listLogs(journal)
      .filter(({ status }) => status !== 'closed')
      .flatMap(read)
      .filter((record) => remainingWait(record, journal.now()) > 0),
  );

  return {
    journal,
    list,
    recordsOf,
    get(id) {
      const [record, ...others] = recordsOf(id);
      if (record !== undefined && others.length === 0) return record;
      throw new HistoryError('record_not_found', `${id} is a run with ${others.length + 1} changes`, {
        advice: `name one of them, such as ${record?.id}`,
      });
    },
    readForChange,
    listWhole(query) {
      const { records, problems } = list(query);
      for (const { file, message, kind } of problems) {
        if (kind !== 'foreign') throw new DamagedError(file, message, kind);
      }
      return records;
    },
    storeWait: () => waitOf(earlierWaits(), journal.now()),
    readLater: (record) =>
      listLogs(journal)
        .filter((log) => log.number >= record.number)
        .flatMap(read)
        .filter((other) => isAfter(other, record)),
    async begin(start) {
      const writer = await beginLog(journal, start);
      writers.set(writer.id, writer);
      return writer;
    },
    async reopen(logId, options) {
      const own = writers.get(logId);
      if (own !== undefined) return own;
      // Several records of one log may be continued at once, and this process would wait for itself.
      const opening = reopening.get(logId) ?? reopenLog(journal, logId, options);
      reopening.set(logId, opening);
      try {
        const writer = await opening;
        writers.set(logId, writer);
        return writer;
      } finally {
        reopening.delete(logId);
      }
    },
    isHeldElsewhere: (logId) => !writers.has(logId) && !reopening.has(logId) && isLogHeld(journal, logId),
    remember(key, find) {
      const fact = facts.get(key) ?? find();
      facts.set(key, fact);
      return fact;
    },
    async end() {
      const ended = [...writers.values()];
      writers.clear();
      for (const writer of ended) await writer.close();
    },
  };
}

/** By the numbers of their logs; in one log `k3f9a2.10` comes after `k3f9a2.9`, and the main one after all. */
function isAfter(one: HistoryRecord, other: HistoryRecord): boolean {
  if (one.number !== other.number) return one.number > other.number;
  const [log, place = 'Infinity'] = one.id.split('.');
  const [otherLog, otherPlace = 'Infinity'] = other.id.split('.');
  return log === otherLog && Number(place) > Number(otherPlace);
}

function matches(record: HistoryRecord, query: RecordQuery): boolean {
  const fields = ['operation', 'state', 'open'] as const;
  return fields.every((field) => query[field] === undefined || record[field] === query[field]);
}

/** Milliseconds for which the last responses in these records asked to send the store nothing. */
export function waitOf(records: readonly HistoryRecord[], now: number): number {
  return records.reduce((longest, record) => Math.max(longest, remainingWait(record, now)), 0);
}

/** How long a key is sent again: services forget keys, often after 24 hours. */
const keyReuseMs = 20 * 3_600_000;

/** Whether the service may have forgotten the key of a record. A date in the future says nothing, so it counts as old. */
export function isKeyForgotten({ createdAt }: Pick<HistoryRecord, 'createdAt'>, now: number): boolean {
  const age = now - Date.parse(createdAt);
  return !(age >= 0 && age < keyReuseMs);
}

/**
 * Takes the lock that a change needs from its number until its outcome, or null if it needs none: changes of the same values
 * take effect in the order of their numbers.
 */
export async function acquireOrder(
  { journal }: History,
  operation: string,
  options: SendOptions,
): Promise<Lock | null> {
  return rulesOf(operation).isOrdered ? journal.acquire('order', options) : null;
}

/** The id of the log of a record. */
export function logIdOf(recordId: string): string {
  return recordId.split('.')[0] ?? recordId;
}
