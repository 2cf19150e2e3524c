import path from 'node:path';
import { listFolder, readText } from '../../base/files/files.ts';
import { DamagedError, HistoryError } from '../record/errors.ts';
import type { HistoryRecord } from '../record/history-record.ts';
import type { Journal, StoreIdentity } from './journal.ts';
import { type LogName, type LogStatus, makeLogName, parseLogName } from './log-name.ts';
import { type ParsedLog, parseLog } from './parse-log.ts';

/** Where logs are read. */
export interface LogFolder extends Pick<Journal, 'files' | 'folder'> {
  /** The store that the logs have to be of, or null for any. */
  readonly store: StoreIdentity | null;
}

export function fileOf({ folder }: Pick<LogFolder, 'folder'>, name: string): string {
  return path.join(folder, name);
}

export function listNames({ files, folder }: LogFolder): string[] {
  return listFolder(files, folder);
}

/** Lowest number first; logs that were begun at the same time may share one. */
export function listLogs(folder: LogFolder, names: readonly string[] = listNames(folder)): LogName[] {
  return names
    .map(parseLogName)
    .filter((log) => log !== null)
    .sort((one, other) => one.number - other.number);
}

/**
 * The records of these logs, in their order, until there are `max`; those of one log newest first. A log that cannot be used is a
 * problem: changes that read it fail.
 */
export function readLeniently(
  folder: LogFolder,
  logs: readonly LogName[],
  { read = readRecords, max = Number.POSITIVE_INFINITY } = {},
): { records: HistoryRecord[]; problems: HistoryError[] } {
  const records: HistoryRecord[] = [];
  const problems: HistoryError[] = [];
  for (const log of logs) {
    if (records.length >= max) break;
    try {
      records.push(...read(folder, log).reverse());
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      problems.push(error);
    }
  }
  return { records, problems };
}

export interface FoundLog extends ParsedLog {
  readonly name: LogName;
}

/**
 * Reads a log under whatever name it has now; null if it is gone. Throws a DamagedError or another HistoryError if it cannot be
 * used.
 */
export function readLog(folder: LogFolder, listed: LogName): FoundLog | null {
  try {
    const found = readOnce(folder, listed);
    if (found !== null) return found;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
  }
  // Its holder may have renamed it, or cut it off, in between.
  const logs = listLogs(folder);
  const name = logs.find((log) => log.name === listed.name) ?? logs.find((log) => log.id === listed.id);
  return name === undefined ? null : readOnce(folder, name);
}

/** The records of {@link readLog}, oldest first; empty if it is gone. */
export function readRecords(folder: LogFolder, log: LogName): HistoryRecord[] {
  return [...(readLog(folder, log)?.records.values() ?? [])];
}

function readOnce(folder: LogFolder, name: LogName): FoundLog | null {
  const file = fileOf(folder, name.name);
  const text = readText(folder.files, file)?.text;
  if (text === undefined) return null;
  const parsed = parseLog(text, name, file);
  const { baseUrl, storeId } = parsed.header;
  const store = folder.store ?? parsed.header;
  if (baseUrl !== store.baseUrl || storeId !== store.storeId) {
    throw new HistoryError('history_unreadable', `${file} belongs to store ${storeId} at ${baseUrl}`, {
      file,
    });
  }
  return { ...parsed, name };
}

/** What a store asked for is kept for later commands no longer than this. */
const maxKeptWaitMs = 3_600_000;

/** Milliseconds for which the response in this record asked to send the store nothing more; 0 once an hour has passed. */
export function remainingWait({ response }: Pick<HistoryRecord, 'response'>, now: number): number {
  if (response === null || response.retryAt === null) return 0;
  const age = now - Date.parse(response.receivedAt);
  // A clock outside that hour says nothing about it.
  if (!(age >= 0 && age < maxKeptWaitMs)) return 0;
  return Math.max(0, Math.min(response.retryAt - now, maxKeptWaitMs - age));
}

/** What a log with a closing line is called. */
export function statusOf(records: readonly HistoryRecord[], now: number): LogStatus {
  if (records.some(({ open }) => open)) return 'pending';
  return records.some((record) => remainingWait(record, now) > 0) ? 'waiting' : 'closed';
}

/** Renames the log, whose lock the caller holds, without a sync: a name is a hint. */
export function renameLog(journal: Journal, log: LogName, status: LogStatus): LogName {
  const renamed = makeLogName({ ...log, status });
  if (status !== log.status) {
    journal.files.fileSystem.renameSync(fileOf(journal, log.name), fileOf(journal, renamed.name));
  }
  return renamed;
}
