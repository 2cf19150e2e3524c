import path from 'node:path';
import { type FoundFile, listFolder, readText } from '../../base/files/files.ts';
import { DamagedError, HistoryError } from '../record/errors.ts';
import type { HistoryRecord } from '../record/history-record.ts';
import type { Journal, StoreIdentity } from './journal.ts';
import { type LogName, type LogStatus, makeLogName, parseLogName } from './log-name.ts';
import { type ParsedLog, parseLog } from './parse-log.ts';

/** The folder of a journal, for reading. */
export interface LogFolder extends Pick<Journal, 'files' | 'folder'> {
  /** The store of the logs; null to read logs of any store. */
  readonly store: StoreIdentity | null;
}

export function fileOf({ folder }: Pick<LogFolder, 'folder'>, name: string): string {
  return path.join(folder, name);
}

export function listNames({ files, folder }: LogFolder): string[] {
  return listFolder(files, folder);
}

/** The logs in a folder, lowest number first. Logs that were begun at the same time may have the same number. */
export function listLogs(folder: LogFolder, names: readonly string[] = listNames(folder)): LogName[] {
  return names
    .map(parseLogName)
    .filter((log) => log !== null)
    .sort((one, other) => one.number - other.number);
}

export interface FoundLog extends ParsedLog {
  readonly name: LogName;
  /** Name, inode, size and time of change of the file. If two stamps of a log are the same, nobody has written it in between. */
  readonly stamp: string;
}

/**
 * Reads a log that was listed, even if it was renamed since. Null if it was removed. Throws a DamagedError or another HistoryError if the
 * log cannot be used.
 */
export function readLog(folder: LogFolder, listed: LogName): FoundLog | null {
  try {
    const found = readOnce(folder, listed);
    if (found !== null) return found;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
  }
  // The process that holds the log may have renamed it, or cut off a broken line, since it was listed.
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

/** The status in the name of a log with a closing line. */
export function statusOf(records: readonly HistoryRecord[]): LogStatus {
  return records.some(({ open }) => open) ? 'pending' : 'closed';
}

/** Renames a log whose log lock the caller holds. The new name is not synced, because it is only a hint. */
export function renameLog(journal: Journal, log: LogName, status: LogStatus): LogName {
  const renamed = makeLogName({ ...log, status });
  if (status !== log.status) {
    journal.files.fileSystem.renameSync(fileOf(journal, log.name), fileOf(journal, renamed.name));
  }
  return renamed;
}
