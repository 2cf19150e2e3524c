import path from 'node:path';
import { monotonicMs } from '../../client/clock.ts';
import { DamagedError, HistoryError } from '../errors.ts';
import { listFolder, readText } from './files/files.ts';
import type { HistoryRecord } from './history-record.ts';
import type { Journal } from './journal.ts';
import { damagedFolder, type LogName, locksFolder, parseLogName } from './log-name.ts';
import { type ParsedLog, parseLog } from './parse-log.ts';

export function fileOf({ folder }: Pick<Journal, 'folder'>, name: string): string {
  return path.join(folder, name);
}

/** Names in the folder of a journal. */
export interface Listing {
  readonly names: readonly string[];
  /** When they were listed, in milliseconds of the monotonic clock. */
  readonly at: number;
}

export function listNames({ files, folder }: Pick<Journal, 'files' | 'folder'>): Listing {
  return { names: listFolder(files, folder), at: monotonicMs() };
}

/**
 * Lowest number first; logs that were begun at the same time may share one. `mayMatter` gets the names from the newest on, and
 * leaves out those that need not be looked at closely: a folder may have thousands.
 */
export function listLogs(
  journal: Pick<Journal, 'files' | 'folder'>,
  { names }: Listing = listNames(journal),
  mayMatter: (name: string) => boolean = () => true,
): LogName[] {
  const logs: LogName[] = [];
  for (const name of names.toReversed()) {
    const log = mayMatter(name) ? parseLogName(name) : null;
    if (log !== null) logs.push(log);
  }
  return logs.reverse().sort((one, other) => one.number - other.number);
}

/** A file in the folder that is not a whole log. It stays where it is. */
export interface HistoryProblem {
  readonly file: string;
  /** `foreign`: something else lies in the folder. Everything else makes changes that read it fail. */
  readonly kind: DamagedError['kind'] | 'foreign';
  /** Continues the name of the file: `is empty`. */
  readonly message: string;
}

/** What lies in the folder and is no log. */
export function findForeign(journal: Journal, { names }: Listing): HistoryProblem[] {
  const isOwn = (name: string) =>
    name.startsWith('.') || name === locksFolder || name === damagedFolder || parseLogName(name) !== null;
  return names
    .filter((name) => !isOwn(name))
    .map((name) => ({ file: fileOf(journal, name), kind: 'foreign', message: 'is not a log of storectl' }));
}

/** What {@link readLog} has thrown, as a problem. Throws what is not a HistoryError. */
export function problemOf(journal: Journal, log: LogName, error: unknown): HistoryProblem {
  if (!(error instanceof HistoryError)) throw error;
  const file = error.file ?? fileOf(journal, log.name);
  if (error instanceof DamagedError) return { file, kind: error.kind, message: error.problem };
  return { file, kind: 'damaged', message: `cannot be read: ${error.message}` };
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
export function readLog(journal: Journal, listed: LogName): FoundLog | null {
  try {
    const found = readOnce(journal, listed);
    if (found !== null) return found;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
  }
  // Its holder may have renamed it, or cut it off, in between.
  const logs = listLogs(journal);
  const name = logs.find((log) => log.name === listed.name) ?? logs.find((log) => log.id === listed.id);
  return name === undefined ? null : readOnce(journal, name);
}

/** The records of {@link readLog}, oldest first; empty if it is gone. */
export function readRecords(journal: Journal, log: LogName): HistoryRecord[] {
  return [...(readLog(journal, log)?.records.values() ?? [])];
}

function readOnce(journal: Journal, name: LogName): FoundLog | null {
  const file = fileOf(journal, name.name);
  const text = readText(journal.files, file)?.text;
  if (text === undefined) return null;
  const parsed = parseLog(text, name, file);
  const { baseUrl, storeId } = parsed.header;
  if (baseUrl !== journal.store.baseUrl || storeId !== journal.store.storeId) {
    throw new HistoryError('history_unreadable', `${file} belongs to store ${storeId} at ${baseUrl}`, {
      file,
    });
  }
  return { ...parsed, name, text: text.slice(0, parsed.length) };
}
