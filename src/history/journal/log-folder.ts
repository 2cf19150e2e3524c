import path from 'node:path';
import { type FoundFile, listFolder, readText } from '../../base/files/files.ts';
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

export interface FoundLog extends ParsedLog {
  readonly name: LogName;
  /** The same as long as nobody has written it: its name, inode, size and time of change. */
  readonly stamp: string;
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

function readOnce(folder: LogFolder, name: LogName): FoundLog | null {
  const file = fileOf(folder, name.name);
  const found = readText(folder.files, file);
  if (found === null) return null;
  const parsed = parseLog(found.text, name, file);
  const { baseUrl, storeId } = parsed.header;
  const store = folder.store ?? parsed.header;
  if (baseUrl !== store.baseUrl || storeId !== store.storeId) {
    throw new HistoryError('history_unreadable', `${file} belongs to store ${storeId} at ${baseUrl}`, {
      file,
    });
  }
  return { ...parsed, name, stamp: makeStamp(name, found) };
}

/** The stamp that {@link readLog} would find, or null if there is no log with this name. */
export function stampOf(folder: LogFolder, name: LogName): string | null {
  const { lstatSync } = folder.files.fileSystem;
  const stats = lstatSync(fileOf(folder, name.name), { throwIfNoEntry: false });
  return stats === undefined ? null : makeStamp(name, stats);
}

function makeStamp({ name }: LogName, { ino, size, mtimeMs }: FoundFile): string {
  return [name, ino, size, mtimeMs].join(' ');
}

/** What a log with a closing line is called. */
export function statusOf(records: readonly HistoryRecord[]): LogStatus {
  return records.some(({ open }) => open) ? 'pending' : 'closed';
}

/** Renames the log, whose lock the caller holds, without a sync: a name is a hint. */
export function renameLog(journal: Journal, log: LogName, status: LogStatus): LogName {
  const renamed = makeLogName({ ...log, status });
  if (status !== log.status) {
    journal.files.fileSystem.renameSync(fileOf(journal, log.name), fileOf(journal, renamed.name));
  }
  return renamed;
}
