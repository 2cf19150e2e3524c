import path from 'node:path';
import { DamagedError, HistoryError } from '../errors.ts';
import { type Files, listFolder, readText } from './files/files.ts';
import type { Lock, LockOptions, Locks } from './files/lock.ts';
import { type LogName, parseLogName } from './log-name.ts';
import { type LogProblem, type ParsedLog, parseLog } from './parse-log.ts';

/** The store whose changes a journal records. */
export interface StoreIdentity {
  /** See `normalizeBaseUrl`; `demo` for the demo service. */
  readonly baseUrl: string;
  /** A UUID in lower case. */
  readonly storeId: string;
}

/** Where the logs of a store are, for readers. */
export interface ReadableFolder {
  readonly path: string;
  readonly files: Files;
  readonly store: StoreIdentity;
}

/** The folder with the logs of a store. */
export interface LogFolder extends ReadableFolder {
  readonly profile: string;
  /** Epoch milliseconds. */
  now(): number;
  randomBytes(size: number): Buffer;
  locks(): Locks;
}

/** Folders beside the logs. */
export const locksFolder = 'locks';
export const damagedFolder = 'damaged';

export function lockName(id: string): string {
  return `log ${id}`;
}

/** Takes the lock of a log, or throws a HistoryError `history_busy` at once if another process holds it. */
export function acquireNow(folder: LogFolder, id: string): Promise<Lock> {
  return acquireLog(folder, id, { signal: AbortSignal.abort() });
}

export function acquireLog(folder: LogFolder, id: string, options?: LockOptions): Promise<Lock> {
  return folder.locks().acquire(lockName(id), options);
}

export function fileOf(folder: Pick<LogFolder, 'path'>, name: string): string {
  return path.join(folder.path, name);
}

/**
 * Lowest number first; logs that were begun at the same time may share one. `mayMatter` gets the names from the newest on, and
 * leaves out those that need not be looked at closely: a folder may have thousands.
 */
export function listLogs(
  folder: Pick<LogFolder, 'path' | 'files'>,
  mayMatter: (name: string) => boolean = () => true,
): LogName[] {
  const logs: LogName[] = [];
  for (const name of listFolder(folder.files, folder.path).reverse()) {
    const log = mayMatter(name) ? parseLogName(name) : null;
    if (log !== null) logs.push(log);
  }
  return logs.reverse().sort((one, other) => one.number - other.number);
}

/** The log as it is named now. */
export function findLog(folder: LogFolder, id: string): LogName | null {
  return listLogs(folder).find((log) => log.id === id) ?? null;
}

export interface FoundLog extends ParsedLog {
  readonly name: LogName;
  /** The text of its whole lines. */
  readonly text: string;
}

/**
 * Reads a log under whatever name it has now; null if it is gone. Throws a DamagedError or another HistoryError if it cannot be
 * used.
 */
export function readLog(folder: ReadableFolder, listed: LogName): FoundLog | null {
  const first = readOnce(folder, listed);
  if (first !== null && !('kind' in first)) return first;
  // Its holder may have renamed it, or cut it off, in between.
  const logs = listLogs(folder);
  const name =
    logs.find((log) => log.name === listed.name) ?? logs.find((log) => log.id === listed.id) ?? null;
  const found = name === null ? null : readOnce(folder, name);
  if (name === null || found === null || !('kind' in found)) return found as FoundLog | null;
  throw new DamagedError(fileOf(folder, name.name), found.message, found.kind);
}

function readOnce(folder: ReadableFolder, name: LogName): FoundLog | LogProblem | null {
  const file = fileOf(folder, name.name);
  const text = readText(folder.files, file)?.text;
  if (text === undefined) return null;
  const parsed = parseLog(text, name);
  if ('kind' in parsed) return parsed;
  const { baseUrl, storeId } = parsed.header;
  if (baseUrl !== folder.store.baseUrl || storeId !== folder.store.storeId) {
    throw new HistoryError('history_unreadable', `${file} belongs to store ${storeId} at ${baseUrl}`, {
      file,
    });
  }
  return { ...parsed, name, text: text.slice(0, parsed.length) };
}
