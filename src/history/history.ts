import { monotonicMs } from '../base/clock.ts';
import type { LockOptions } from '../base/files/lock.ts';
import { asObject } from '../base/json.ts';
import type { CallInput, Client } from '../client/client.ts';
import type { Outcome } from '../client/outcome.ts';
import { type JournalSettings, openJournal } from './journal/journal.ts';
import { listLogs, listNames, readLeniently, readRecords, remainingWait } from './journal/log-folder.ts';
import { dayOf, isUnfinished, type LogName } from './journal/log-name.ts';
import type { LogWriter } from './journal/log-writer.ts';
import { beginLog, type Listing, type LogStart, reopenLog } from './journal/open-log.ts';
import { logsWith } from './operation-rules.ts';
import { HistoryError } from './record/errors.ts';
import { type HistoryRecord, isAfter, sentBody } from './record/history-record.ts';

/** What this machine knows of the changes of one store. */
export type History = ReturnType<typeof openHistory>;

/** Which records; each field that is given narrows them down. */
type RecordQuery = {
  readonly [Field in 'operation' | 'state' | 'open']?: HistoryRecord[Field] | undefined;
};

/** What every function that sends needs. */
export interface SendOptions {
  readonly client: Client;
  readonly timeoutMs?: CallInput['timeoutMs'] | undefined;
  readonly signal?: CallInput['signal'] | undefined;
  /** Another process works on the same. */
  onWait?(): void;
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
  /** Why the outcome could not be written down, or null if it was. The record stays open then. */
  readonly recordingError: HistoryError | null;
  /** What a read after a lost response has shown. */
  readonly finding: Finding | null;
}

/** See `Proof.judge`; `unreadable` if the read failed. */
export type Finding = 'applied' | 'untouched' | 'other' | 'unreadable';
/** A change reads at least this many logs of its operation, and all that were begun in the last {@link recentMs}. */
const minRead = 20;
const recentMs = 2 * 24 * 3_600_000;

/** The history in a folder. Touches nothing until it is used. */
export function openHistory(settings: JournalSettings) {
  const journal = openJournal(settings);
  const writers = new Map<string, LogWriter>();
  const reopening = new Map<string, Promise<LogWriter>>();
  /** What {@link readForChange} has found: the change that follows begins soon. */
  let listing: Listing | null = null;

  /** Of this process as far as it has the log open, else from disk. */
  const read = (log: LogName) => [...(writers.get(log.id)?.records.values() ?? readRecords(journal, log))];

  const recentDay = () => dayOf(journal.now() - recentMs);

  /** Newest first. Logs that cannot be used are problems, not errors. */
  function list(query: RecordQuery = {}): { records: HistoryRecord[]; problems: HistoryError[] } {
    const wanted = query.operation === undefined ? null : logsWith(query.operation);
    const logs = listLogs(journal).reverse();
    const { records, problems } = readLeniently(
      journal,
      logs.filter((log) => wanted?.includes(log.operation) ?? true),
      { read: (_, log) => read(log) },
    );
    const fields = ['operation', 'state', 'open'] as const;
    const matches = (record: HistoryRecord) =>
      fields.every((field) => query[field] === undefined || record[field] === query[field]);
    return { records: records.filter(matches), problems };
  }

  /** The records with this id: one, or all of the log whose id it is. Throws a HistoryError `record_not_found`. */
  function recordsOf(id: string): HistoryRecord[] {
    const wanted = id.toLowerCase();
    const [logId = ''] = wanted.split('.');
    const log = listLogs(journal).find((found) => found.id === logId);
    const records = log === undefined ? [] : read(log);
    const exact = records.filter((record) => record.id === wanted);
    const found = exact.length > 0 || wanted !== logId ? exact : records;
    if (found.length > 0) return found;
    const labelled = list().records.find((record) => asObject(sentBody(record)).label === id);
    const label = labelled === undefined ? '' : `, but it is the label of ${labelled.id}`;
    throw new HistoryError('record_not_found', `no change "${id}" in the history of this store${label}`);
  }

  /**
   * What a change of this operation has to know, newest first: what is open, and the latest changes of the same operation (all
   * of them with `all`). Throws a DamagedError if part of it cannot be read.
   */
  function readForChange(operation: string, { all = false } = {}): HistoryRecord[] {
    const since = recentDay();
    const own = logsWith(operation).map((other) => `-${other}.`);
    let count = 0;
    // By their names alone: a folder may have thousands.
    const mayMatter = (name: string) => {
      if (isUnfinished(name, since)) return true;
      const isOld = name.slice(name.indexOf('-') + 1) < since;
      if (isOld && !all && count >= minRead) return false;
      if (!own.some((part) => name.includes(part))) return false;
      count += 1;
      return true;
    };
    listing = { names: listNames(journal), at: monotonicMs() };
    const logs = listLogs(journal, listing.names.toReversed().filter(mayMatter)).reverse();
    return logs.flatMap((log) => read(log).reverse());
  }

  async function reopenOnce(logId: string, options?: LockOptions): Promise<LogWriter> {
    try {
      const writer = await reopenLog(journal, logId, options);
      writers.set(logId, writer);
      return writer;
    } finally {
      reopening.delete(logId);
    }
  }

  return {
    journal,
    list,
    /** The records of `list`. Throws a HistoryError if a log cannot be used. */
    listWhole(query?: RecordQuery): HistoryRecord[] {
      const { records, problems } = list(query);
      for (const problem of problems) throw problem;
      return records;
    },
    recordsOf,
    /** The only one of `recordsOf`. */
    get(id: string): HistoryRecord {
      const [record, ...others] = recordsOf(id);
      if (record !== undefined && others.length === 0) return record;
      throw new HistoryError('record_not_found', `${id} is a run with ${others.length + 1} changes`, {
        advice: `name one of them, such as ${record?.id}`,
      });
    },
    readForChange,
    /** Milliseconds for which the store has asked to send it nothing. Throws a HistoryError for a damaged log. */
    storeWait(): number {
      const names = listNames(journal).filter((name) => isUnfinished(name, recentDay()));
      return waitOf(listLogs(journal, names).flatMap(read), journal.now());
    },
    /** What came after a record and may touch the same. Throws a DamagedError if part of it cannot be read. */
    readLater: (record: HistoryRecord): HistoryRecord[] =>
      listLogs(journal)
        .filter((log) => log.number >= record.number)
        .flatMap(read)
        .filter((other) => isAfter(other, record)),
    /** Makes a log with its first records. */
    async begin(start: LogStart): Promise<LogWriter> {
      const writer = await beginLog(journal, start, listing);
      writers.set(writer.id, writer);
      return writer;
    },
    /** Takes the lock of a log, once in a process: its writer is shared until `end`. */
    async reopen(logId: string, options?: LockOptions): Promise<LogWriter> {
      const own = writers.get(logId);
      if (own !== undefined) return own;
      // Several records of one log may be continued at once, and this process would wait for itself.
      const opening = reopening.get(logId) ?? reopenOnce(logId, options);
      reopening.set(logId, opening);
      return opening;
    },
    /** Whether another process works on a log. */
    isHeldElsewhere: (logId: string) =>
      !writers.has(logId) && !reopening.has(logId) && journal.isLogHeld(logId),
    /**
     * To be called when the outcomes have reached the user: closes the logs of this process, so that what has an outcome is no
     * longer open. Never rejects.
     */
    async end(): Promise<void> {
      const ended = [...writers.values()];
      writers.clear();
      for (const writer of ended) await writer.close();
    },
  };
}

/** Milliseconds for which the last responses in these records asked to send the store nothing. */
export function waitOf(records: readonly HistoryRecord[], now: number): number {
  return records.reduce((longest, record) => Math.max(longest, remainingWait(record, now)), 0);
}

/** How long a change in doubt is sent again: services forget keys, often after 24 hours, and others change the same. */
const resendMs = 20 * 3_600_000;

/** Whether a change in doubt is sent again only after a yes. A date in the future says nothing, so it counts as old. */
export function isTooOld({ createdAt }: Pick<HistoryRecord, 'createdAt'>, now: number): boolean {
  const age = now - Date.parse(createdAt);
  return !(age >= 0 && age < resendMs);
}

/** The id of the log of a record. */
export function logIdOf(recordId: string): string {
  return recordId.split('.')[0] ?? recordId;
}
