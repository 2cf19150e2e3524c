import { monotonicMs } from '../base/clock.ts';
import { asObject } from '../base/json.ts';
import { memoize } from '../base/memoize.ts';
import {
  type FoundLog,
  type LogFolder,
  listLogs,
  listNames,
  readLog,
  stampOf,
} from './journal/log-folder.ts';
import { dayOf, type LogName, mayBeOpen } from './journal/log-name.ts';
import type { LogWriter } from './journal/log-writer.ts';
import type { Listing } from './journal/open-log.ts';
import { logsWith } from './operation-rules.ts';
import { HistoryError } from './record/errors.ts';
import { type HistoryRecord, sentBody } from './record/history-record.ts';

/** A filter for records. A field that is missing filters nothing. */
type Query = { readonly [Field in 'operation' | 'state' | 'open']?: HistoryRecord[Field] | undefined };

/** A filter for the logs that are read. A field that is missing filters nothing. */
export interface LogScope {
  /** Only logs that may have something about one of these operations. */
  readonly concerning?: readonly string[] | undefined;
  /** Only logs that may have open records. */
  readonly open?: true | undefined;
  /** Only logs with this number or a higher one. */
  readonly since?: number | undefined;
}

/**
 * The history of a store as one command knows it: the logs as they were listed at one time, and the records that this process had
 * written by then. A snapshot never changes. A log is read when its records are first needed. Records are newest first.
 *
 * A command may show, ask and refuse by any snapshot. Numbers, guards, sending and superseding need one that was listed after the last
 * lock, see `History.refresh`.
 */
export type Snapshot = ReturnType<typeof makeSnapshot>;

/** A change reads at least this many logs of its operation, and all that were begun in the last {@link recentMs}. */
const minRead = 20;
const recentMs = 2 * 24 * 3_600_000;

/** The records of a log, newest first, or why the log cannot be used. `records` throws a HistoryError if they cannot be parsed. */
type Read = { readonly records: () => readonly HistoryRecord[] } | { readonly error: HistoryError };

interface TimedListing extends Listing {
  /** When the folder was listed, in epoch milliseconds. For ages only. */
  readonly time: number;
}

/**
 * Reads the logs in a folder. `writers` are those of this process, by the ids of their logs: the records of such a log are taken from its
 * writer.
 */
export function openReader(
  folder: LogFolder,
  { writers = new Map(), now = Date.now }: { writers?: ReadonlyMap<string, LogWriter>; now?(): number } = {},
) {
  /** The logs that were read so far, by their ids. */
  const cache = new Map<string, Pick<FoundLog, 'stamp'> & Extract<Read, { records: unknown }>>();
  /** The last listing, and the logs of it that were read. */
  let listed: { readonly listing: TimedListing; readonly logs: Map<string, Read> } | null = null;

  function readFile(log: LogName): Read {
    try {
      const known = cache.get(log.id);
      if (known !== undefined && known.stamp === stampOf(folder, log)) return known;
      const found = readLog(folder, log);
      if (found === null) return { records: () => [] };
      const read = { stamp: found.stamp, records: memoize(() => newestFirst(found.records())) };
      cache.set(log.id, read);
      return read;
    } catch (error) {
      if (error instanceof HistoryError) return { error };
      throw error;
    }
  }

  /** A snapshot of the last listing, and of the records that this process has written so far. */
  function snapshot(): Snapshot {
    listed ??= { listing: { names: listNames(folder), at: monotonicMs(), time: now() }, logs: new Map() };
    const { listing, logs } = listed;
    const own = new Map([...writers].map(([id, { records }]) => [id, newestFirst(records)]));
    const read = (log: LogName): Read => {
      const written = own.get(log.id);
      if (written !== undefined) return { records: () => written };
      const found = logs.get(log.id) ?? readFile(log);
      logs.set(log.id, found);
      return found;
    };
    return makeSnapshot(folder, listing, [...writers.values()], read);
  }

  return {
    snapshot,
    /** Lists the folder again. A log is parsed again only if its name, inode, size or time of change differ. */
    refresh(): Snapshot {
      listed = null;
      return snapshot();
    },
  };
}

function newestFirst(records: ReadonlyMap<string, HistoryRecord>): HistoryRecord[] {
  return [...records.values()].reverse();
}

function makeSnapshot(
  folder: LogFolder,
  listing: TimedListing,
  writers: readonly LogWriter[],
  read: (log: LogName) => Read,
) {
  // The logs that this process has begun since the listing are added.
  const begun = writers.filter(({ id }) => !listing.names.some((name) => name.includes(`-${id}-`)));
  const names = [...listing.names, ...begun.map(({ name }) => name)];

  /** The logs whose names are wanted, newest first. Only wanted names are parsed, because a folder may have thousands. */
  const logsWhere = (isWanted: (name: string) => boolean): LogName[] =>
    listLogs(folder, names.toReversed().filter(isWanted)).reverse();

  function logsIn({ concerning, open, since }: LogScope): LogName[] {
    const endings = concerning?.flatMap(logsWith).map((other) => `-${other}.`);
    return logsWhere(
      (name) =>
        (endings?.some((part) => name.includes(part)) ?? true) &&
        (open === undefined || mayBeOpen(name)) &&
        (since === undefined || Number.parseInt(name, 10) >= since),
    );
  }

  /**
   * All logs that may be open, and recent logs of this operation: of the last {@link recentMs}, and at least {@link minRead}. With
   * `all`, all its logs.
   */
  function openAndRecentLogs(operation: string, { all = false } = {}): LogName[] {
    const since = dayOf(listing.time - recentMs);
    const own = logsWith(operation).map((other) => `-${other}.`);
    let count = 0;
    return logsWhere((name) => {
      if (mayBeOpen(name)) return true;
      if (!own.some((part) => name.includes(part))) return false;
      const isOld = name.slice(name.indexOf('-') + 1) < since;
      if (isOld && !all && count >= minRead) return false;
      count += 1;
      return true;
    });
  }

  function usableLog(log: LogName): Extract<Read, { records: unknown }> {
    const found = read(log);
    if ('error' in found) throw found.error;
    return found;
  }

  const recordsIn = (log: LogName): readonly HistoryRecord[] => usableLog(log).records();

  function recordsOrError(log: LogName): { records: readonly HistoryRecord[] } | { error: HistoryError } {
    try {
      return { records: recordsIn(log) };
    } catch (error) {
      if (error instanceof HistoryError) return { error };
      throw error;
    }
  }

  /** The records of a scope. A log is read when the caller gets to it. Throws a HistoryError for a log that cannot be used. */
  function* records(scope: LogScope = {}): Generator<HistoryRecord> {
    for (const log of logsIn(scope)) yield* recordsIn(log);
  }

  /** The records of a query, and the problems of logs that cannot be used. */
  function list(query: Query = {}): { records: HistoryRecord[]; problems: HistoryError[] } {
    const concerning = query.operation === undefined ? undefined : [query.operation];
    const logs = logsIn({ concerning }).map(recordsOrError);
    const fields = ['operation', 'state', 'open'] as const;
    const isWanted = (record: HistoryRecord) =>
      fields.every((field) => query[field] === undefined || record[field] === query[field]);
    return {
      records: logs.flatMap((log) => ('error' in log ? [] : log.records.filter(isWanted))),
      problems: logs.flatMap((log) => ('error' in log ? [log.error] : [])),
    };
  }

  /** The record with this id; or, for the id of a log, all its records, oldest first. Throws a HistoryError `record_not_found`. */
  function recordsOf(id: string): HistoryRecord[] {
    const wanted = id.toLowerCase();
    const [logId = ''] = wanted.split('.');
    const [log] = logsWhere((name) => name.includes(`-${logId}-`));
    const ofLog = log === undefined || log.id !== logId ? [] : recordsIn(log).toReversed();
    const exact = ofLog.filter((record) => record.id === wanted);
    const found = exact.length > 0 || wanted !== logId ? exact : ofLog;
    if (found.length > 0) return found;
    const labelled = list().records.find((record) => asObject(sentBody(record)).label === id);
    const label = labelled === undefined ? '' : `, but it is the label of ${labelled.id}`;
    throw new HistoryError('record_not_found', `no change "${id}" in the history of this store${label}`);
  }

  return {
    listing: { ...listing, names },
    records,
    /** As {@link records}, but skips logs that cannot be used. */
    *usable(scope: LogScope = {}): Generator<HistoryRecord> {
      for (const log of logsIn(scope)) {
        const found = recordsOrError(log);
        if ('records' in found) yield* found.records;
      }
    },
    list,
    /** As {@link list}. Throws a HistoryError for a log that cannot be used. */
    listWhole(query?: Query): HistoryRecord[] {
      const { records: found, problems } = list(query);
      for (const problem of problems) throw problem;
      return found;
    },
    recordsOf,
    /** The one record with this id. Throws a HistoryError `record_not_found` if there is none, or the id is that of a log with several. */
    get(id: string): HistoryRecord {
      const [record, ...others] = recordsOf(id);
      if (record !== undefined && others.length === 0) return record;
      throw new HistoryError('record_not_found', `${id} has ${others.length + 1} changes`, {
        advice: `name one of them, such as ${record?.id}`,
      });
    },
    /** The records of {@link openAndRecentLogs}. Throws a HistoryError for a log that cannot be used. */
    openAndRecent: (operation: string, options?: { all: boolean }): HistoryRecord[] =>
      openAndRecentLogs(operation, options).flatMap(recordsIn),
    /** Throws a HistoryError as {@link openAndRecent} does, but parses no closed log. */
    checkOpenAndRecent(operation: string): void {
      for (const log of openAndRecentLogs(operation)) usableLog(log);
    },
  };
}
