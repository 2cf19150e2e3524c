import { monotonicMs } from '../../base/clock.ts';
import {
  createFile,
  fileFailure,
  removeQuietly,
  renameDurably,
  sweepDrafts,
  syncFile,
  syncFolder,
  syncParents,
} from '../../base/files/files.ts';
import type { Lock, LockOptions } from '../../base/files/lock.ts';
import { HistoryError } from '../record/errors.ts';
import type { Intent } from '../record/history-record.ts';
import type { Journal } from './journal.ts';
import { fileOf, listLogs, listNames, readLog, renameLog } from './log-folder.ts';
import { type LogHeader, logFormat, patchOfIntent, serializeLine } from './log-lines.ts';
import { dayOf, type LogName, makeLogId, makeLogName, parseLogName } from './log-name.ts';
import { type LogWriter, openWriter, refuseTooLarge, reservedBytes } from './log-writer.ts';
import { parseLog } from './parse-log.ts';

/** The first records of a log. */
export interface LogStart {
  readonly operation: string;
  readonly intents: readonly Intent[];
  /** The records have the ids `id.1`, `id.2` …. Otherwise the only record has the id of the log. */
  readonly isBatch: boolean;
}

/** The names in the folder, and when they were listed, in milliseconds of the monotonic clock. */
export interface Listing {
  readonly names: readonly string[];
  readonly at: number;
}

/** The folder is listed again if the listing is older. Logs that are begun within this time may get the same number. */
const maxListingAgeMs = 500;

/**
 * Makes a log with its first records. When the promise resolves, the log is whole and on disk. `listing` is the caller's list of the
 * folder, which may have thousands of names. Throws a HistoryError: then nothing may be sent. There is no log, or one that says `not_sent`.
 * If even that failed, because the log lock was lost or the disk fails, a log that says `sent` is left: its record is in doubt, which is
 * more careful than needed.
 */
export async function beginLog(
  journal: Journal,
  start: LogStart,
  listing: Listing | null = null,
): Promise<LogWriter> {
  for (;;) {
    const id = makeLogId(journal.randomBytes(6));
    const lock = await journal.acquireLog(id);
    try {
      // While this process holds the log lock with this id, no other process can make a log with the id.
      const isNew = listing !== null && monotonicMs() - listing.at < maxListingAgeMs;
      const names = isNew ? listing.names : listNames(journal);
      sweepDrafts(journal.files, journal.folder, names);
      const newest = newestOf(names);
      if (newest === 0) syncParents(journal.files, journal.folder);
      if (!names.some((name) => name.includes(`-${id}-`))) {
        return await createLog(journal, lock, start, id, newest + 1);
      }
    } catch (error) {
      lock.release();
      throw fileFailure(journal.files, error, 'write', journal.folder);
    }
    lock.release();
  }
}

/** The highest number of a log, or 0. Node lists names sorted, so few names have to be parsed. */
function newestOf(names: readonly string[]): number {
  let newest = 0;
  for (const name of names.toReversed()) {
    if (Number.parseInt(name, 10) > newest) newest = parseLogName(name)?.number ?? newest;
  }
  return newest;
}

async function createLog(
  journal: Journal,
  lock: Lock,
  { operation, intents, isBatch }: LogStart,
  id: string,
  number: number,
): Promise<LogWriter> {
  const now = journal.now();
  const at = new Date(now).toISOString();
  const name = makeLogName({ number, date: dayOf(now), id, operation, status: 'open' });
  const records = intents.map((intent, index) =>
    patchOfIntent(intent, isBatch ? `${id}.${index + 1}` : id, at),
  );
  const header = makeHeader(journal, name, at);
  const text = serializeLine({ line: 1, ...header }) + serializeLine({ line: 2, records, at });
  // The outcome has to fit into the log, too.
  refuseTooLarge(Buffer.byteLength(text) + reservedBytes, fileOf(journal, name.name));
  const parsed = parseLog(text, name, fileOf(journal, name.name));
  let writer: LogWriter;
  try {
    await writeLogFile(journal, name.name, text);
    writer = openWriter(journal, lock, { ...parsed, name });
  } catch (error) {
    // The log may have its name already. Nothing is sent for it, so it is removed.
    if (holdsAll(journal)) removeQuietly(journal.files, fileOf(journal, name.name));
    throw error;
  }
  try {
    // A process that has taken over a lock meanwhile may have missed the log, and begun the same change.
    journal.assertHeld();
    return writer;
  } catch (error) {
    // Or it has shown the id of the log to a user. So the log stays, and says that nothing was sent.
    const state = 'not_sent';
    await writer.change([...writer.records.keys()].map((record) => ({ id: record, state }))).catch(() => {});
    await writer.close();
    throw error;
  }
}

/** Whether this process still holds all its locks. If not, others may have seen the log, so it must not be removed. */
function holdsAll(journal: Journal): boolean {
  try {
    journal.assertHeld();
    return true;
  } catch {
    return false;
  }
}

export function makeHeader(
  { store, profile }: Journal,
  { number, id, operation }: LogName,
  createdAt: string,
): LogHeader {
  return { format: logFormat, number, id, ...store, profile, operation, createdAt };
}

/** Writes a whole log to a draft, syncs it, and renames it into place. Throws the errors of the file system. */
export async function writeLogFile(journal: Journal, name: string, text: string): Promise<void> {
  const draft = fileOf(journal, `.${name}.tmp`);
  // The caller holds the log lock, so a draft that is there already is from a process that was killed.
  removeQuietly(journal.files, draft);
  createFile(journal.files, draft, text, { sync: true });
  try {
    journal.assertHeld();
  } catch (error) {
    removeQuietly(journal.files, draft);
    throw error;
  }
  await renameDurably(journal.files, draft, fileOf(journal, name));
}

/**
 * Takes the log lock, waits for a process that holds it, and opens the log for appending. The text that the last process left is synced,
 * and a broken last line is cut off. `list` lists the folder under the lock. Throws a HistoryError `record_not_found` if there is no
 * such log.
 */
export async function reopenLog(
  journal: Journal,
  id: string,
  options?: LockOptions,
  list: () => readonly string[] = () => listNames(journal),
): Promise<LogWriter> {
  const lock = await journal.acquireLog(id, options);
  try {
    const [listed] = listLogs(
      journal,
      list().filter((name) => name.includes(`-${id}-`)),
    );
    const log = listed === undefined ? null : readLog(journal, listed);
    if (log === null) {
      throw new HistoryError('record_not_found', `no log ${id} in the history of this store`);
    }
    // The last process may have left lines that were not synced. They are synced before anything is reported or appended.
    syncFile(journal.files, fileOf(journal, log.name.name));
    const { status } = log.name;
    if (status === 'open' || status === 'pending') return openWriter(journal, lock, log);
    // A record in doubt is found by the name of its log, so nothing is appended under the name of a closed log.
    const name = renameLog(journal, log.name, 'pending');
    syncFolder(journal.files, journal.folder);
    return openWriter(journal, lock, { ...log, name });
  } catch (error) {
    lock.release();
    throw fileFailure(journal.files, error, 'write', journal.folder);
  }
}
