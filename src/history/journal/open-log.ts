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

/** What a log begins with. */
export interface LogStart {
  readonly operation: string;
  readonly intents: readonly Intent[];
  /** The first records have ids with a number: more will follow. */
  readonly isBatch: boolean;
}

/** Names in the folder, and when they were listed, in milliseconds of the monotonic clock. */
export interface Listing {
  readonly names: readonly string[];
  readonly at: number;
}

/** An older listing is made anew. Logs that are begun at the same time, as far as this tells, may share a number. */
const maxListingAgeMs = 500;

/**
 * Makes a log with its first records. It appears whole and on disk, or not at all. Throws a HistoryError. `listing`: what the
 * caller has found in the folder, which may have thousands of names.
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
      // Under the lock of the id, no other process can take it.
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

/** The highest number. Node lists names sorted, so few have to be looked at closely. */
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
  // Its outcome has to fit as well.
  refuseTooLarge(Buffer.byteLength(text) + reservedBytes, fileOf(journal, name.name));
  const parsed = parseLog(text, name, fileOf(journal, name.name));
  let writer: LogWriter;
  try {
    await writeLogFile(journal, name.name, text);
    writer = openWriter(journal, lock, { ...parsed, name });
  } catch (error) {
    // Its name may be there without being on disk, and nothing is sent for it.
    if (holdsAll(journal)) removeQuietly(journal.files, fileOf(journal, name.name));
    throw error;
  }
  try {
    // Another process that took over a lock while the log was put in place may not have seen it.
    journal.assertHeld();
    return writer;
  } catch (error) {
    // Or has seen it, and shown its id to a user: so it stays, and says that nothing was sent.
    const state = 'not_sent';
    await writer.change([...writer.records.keys()].map((record) => ({ id: record, state }))).catch(() => {});
    await writer.close();
    throw error;
  }
}

/** Whether all locks are still this process's. What others can see is theirs to name as soon as one is not. */
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

/** Puts a whole log under its name, and on disk. Throws what the file system throws. */
export async function writeLogFile(journal: Journal, name: string, text: string): Promise<void> {
  const draft = fileOf(journal, `.${name}.tmp`);
  // The caller holds the log's lock, so the process that left this one was killed.
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
 * Takes the lock of a log, waits for another holder, syncs what it left, cuts a broken last line off, and goes on writing.
 * Throws a HistoryError `record_not_found` if it is gone. `list` lists the folder, once the lock is held.
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
    // What is reported from here on must not be lost with the power, and no line may be on disk without those before it.
    syncFile(journal.files, fileOf(journal, log.name.name));
    const { status } = log.name;
    if (status === 'open' || status === 'pending') return openWriter(journal, lock, log);
    // A change in doubt has to be found by the names of the logs, so none is written under the name of a closed one.
    const name = renameLog(journal, log.name, 'pending');
    syncFolder(journal.files, journal.folder);
    return openWriter(journal, lock, { ...log, name });
  } catch (error) {
    lock.release();
    throw fileFailure(journal.files, error, 'write', journal.folder);
  }
}
