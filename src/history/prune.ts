import { fileFailure, sweepDrafts, syncFolder } from '../base/files/files.ts';
import type { Journal } from './journal/journal.ts';
import { fileOf, listLogs, listNames, readLog } from './journal/log-folder.ts';
import { dayOf, type LogName } from './journal/log-name.ts';
import { rulesOf } from './operation-rules.ts';
import { HistoryError } from './record/errors.ts';
import type { HistoryRecord } from './record/history-record.ts';

export interface PruneOptions {
  readonly olderThanMs: number;
  /** Also removes logs of backups, which stay otherwise because not every service can list them. */
  readonly withBackups?: boolean;
  /** Removes nothing, and returns the logs that would be removed. */
  readonly isDryRun?: boolean;
}

/**
 * Removes logs whose records are all older than `olderThanMs` and not open. Logs that cannot be read or that a process holds stay, and so
 * does the newest log, because the next number follows from it. Also removes drafts and locks of killed processes. Returns the removed
 * logs.
 */
export async function pruneLogs(journal: Journal, options: PruneOptions): Promise<LogName[]> {
  const logs = listLogs(journal);
  const newest = logs.at(-1)?.number;
  const lastDay = dayOf(journal.now() - options.olderThanMs);
  const removed: LogName[] = [];
  for (const log of logs) {
    if (log.number === newest || log.date > lastDay) continue;
    if (await removeIfOld(journal, log, options)) removed.push(log);
  }
  if (removed.length > 0) syncFolder(journal.files, journal.folder);
  if (options.isDryRun) return removed;
  sweepDrafts(journal.files, journal.folder, listNames(journal));
  await journal.sweepLocks();
  return removed;
}

async function removeIfOld(
  journal: Journal,
  log: LogName,
  { olderThanMs, withBackups = false, isDryRun = false }: PruneOptions,
): Promise<boolean> {
  const keeps = ({ operation, state }: HistoryRecord) => {
    const { isPruned } = rulesOf(operation);
    return isPruned === 'never' || (isPruned === 'if-asked' && state === 'applied' && !withBackups);
  };
  const mayGo = (record: HistoryRecord) =>
    !record.open && journal.now() - Date.parse(record.createdAt) > olderThanMs && !keeps(record);
  const find = () => {
    const found = readLog(journal, log);
    return found !== null && [...found.records().values()].every(mayGo) ? found.name.name : null;
  };
  try {
    // Most logs stay, so the lock is taken only for a log that is to be removed.
    if (find() === null) return false;
    if (isDryRun) return true;
    const lock = await journal.acquireLog(log.id, { signal: AbortSignal.abort() });
    try {
      const name = find();
      lock.assertHeld();
      if (name !== null) journal.files.fileSystem.unlinkSync(fileOf(journal, name));
      return name !== null;
    } finally {
      lock.release();
    }
  } catch (error) {
    // A log that cannot be read, or that another process holds, stays.
    const stays = ['history_damaged', 'history_busy', 'lock_lost', 'history_unreadable'];
    if (error instanceof HistoryError && stays.includes(error.code)) return false;
    throw fileFailure(journal.files, error, 'write', journal.folder);
  }
}
