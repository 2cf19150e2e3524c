import { HistoryError, historyError } from '../errors.ts';
import {
  createFile,
  ensureFolder,
  listFolder,
  removeQuietly,
  renameDurably,
  sweep,
  syncFolder,
} from './files/files.ts';
import type { Lock, LockOptions } from './files/lock.ts';
import type { Intent } from './history-record.ts';
import { acquireLog, fileOf, findLog, type LogFolder, readLog } from './log-folder.ts';
import { type LogHeader, logFormat, patchOfIntent, serializeLine } from './log-lines.ts';
import { dayOf, type LogName, makeLogId, makeLogName, parseLogName } from './log-name.ts';
import { type LogWriter, openWriter } from './log-writer.ts';
import { parseLog } from './parse-log.ts';
import { refuseSecrets } from './refuse-secrets.ts';
import { renameLog } from './settle.ts';

/** What a log begins with. */
export interface LogStart {
  readonly operation: string;
  readonly intents: readonly Intent[];
  /** The first records have ids with a number: more will follow. */
  readonly isBatch: boolean;
  /** No request in the log may contain one of them. */
  readonly secrets: readonly string[];
}

/** Makes a log with its first records. It appears whole and on disk, or not at all. Throws a HistoryError. */
export async function beginLog(folder: LogFolder, start: LogStart): Promise<LogWriter> {
  refuseSecrets(start.intents, start.secrets);
  ensureFolder(folder.files, folder.path);
  for (;;) {
    const id = makeLogId(folder.randomBytes(6));
    const lock = await acquireLog(folder, id);
    try {
      // Under the lock of the id, no other process can take it.
      const names = listFolder(folder.files, folder.path);
      sweepDrafts(folder, names);
      if (!names.some((name) => name.includes(`-${id}-`))) {
        return await createLog(folder, lock, start, id, newestOf(names) + 1);
      }
    } catch (error) {
      lock.release();
      throw historyError(error, 'write', folder.path);
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
  folder: LogFolder,
  lock: Lock,
  { operation, intents, isBatch, secrets }: LogStart,
  id: string,
  number: number,
): Promise<LogWriter> {
  const now = folder.now();
  const at = new Date(now).toISOString();
  const name = makeLogName({ number, date: dayOf(now), id, operation, status: 'open' });
  const isNumbered = isBatch || intents.length > 1;
  const records = intents.map((intent, index) =>
    patchOfIntent(intent, isNumbered ? `${id}.${index + 1}` : id, at),
  );
  const header = makeHeader(folder, name, at);
  const text = serializeLine({ line: 1, ...header }) + serializeLine({ line: 2, records, at });
  const parsed = parseLog(text, name);
  if ('kind' in parsed) throw new Error(parsed.message);
  try {
    await writeLogFile(folder, name.name, text);
    return openWriter(folder, lock, { ...parsed, name, text }, secrets);
  } catch (error) {
    // Its name may be there without being on disk, and nothing is sent for it.
    removeQuietly(folder.files, fileOf(folder, name.name));
    throw error;
  }
}

export function makeHeader(
  folder: LogFolder,
  { number, id, operation }: LogName,
  createdAt: string,
): LogHeader {
  const { baseUrl, storeId } = folder.store;
  return { format: logFormat, number, id, baseUrl, storeId, profile: folder.profile, operation, createdAt };
}

/** Puts a whole log under its name, and on disk. Throws what the file system throws. */
export async function writeLogFile(folder: LogFolder, name: string, text: string): Promise<void> {
  const draft = fileOf(folder, `.${name}.tmp`);
  // The caller holds the log's lock, so the process that left this one was killed.
  removeQuietly(folder.files, draft);
  createFile(folder.files, draft, text, { sync: true });
  await renameDurably(folder.files, draft, fileOf(folder, name));
}

/** Removes what processes left that were killed an hour ago or earlier, out of these names. */
export function sweepDrafts({ files, path }: LogFolder, names: readonly string[]): void {
  const drafts = names.filter((name) => name.startsWith('.') && name.endsWith('.tmp'));
  sweep(files, path, Date.now(), drafts);
}

export interface ReopenOptions extends LockOptions {
  /** No request that is added may contain one of them. */
  readonly secrets?: readonly string[];
}

/** See Journal. */
export async function reopenLog(
  folder: LogFolder,
  id: string,
  options: ReopenOptions = {},
): Promise<LogWriter> {
  const { secrets = [] } = options;
  const lock = await acquireLog(folder, id, options);
  try {
    const listed = findLog(folder, id);
    const log = listed && readLog(folder, listed);
    if (log === null) {
      throw new HistoryError('record_not_found', `no log ${id} in the history of this store`);
    }
    if (log.name.status !== 'closed') return openWriter(folder, lock, log, secrets);
    // Lines behind its closing line would be damage under the name of a closed log.
    const name = renameLog(folder, log.name, 'unsettled');
    syncFolder(folder.files, folder.path);
    return openWriter(folder, lock, { ...log, name }, secrets);
  } catch (error) {
    lock.release();
    throw historyError(error, 'write', folder.path);
  }
}
