import { fileFailure, sweepDrafts, syncFolder } from '../base/files/files.ts';
import type { Journal } from './journal/journal.ts';
import { fileOf, listLogs, listNames, readLog } from './journal/log-folder.ts';
import { dayOf, type LogName } from './journal/log-name.ts';
import { rulesOf } from './operation-rules.ts';
import { HistoryError } from './record/errors.ts';
import type { HistoryRecord } from './record/history-record.ts';

export interface PruneOptions {
  readonly olderThanMs: number;
  /** Also what stays otherwise because the service cannot list it: see `OperationRules.isPruned`. */
  readonly withBackups?: boolean;
  /** Only says what would be removed. */
  readonly isDryRun?: boolean;
}

/**
 * Removes logs whose records are all older, if none of them is open. The newest log stays, because its number does, and so do
 * logs that cannot be read or that a process holds. Also removes what killed processes left. Returns the logs that it removed.
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
    return found !== null && [...found.records.values()].every(mayGo) ? found.name.name : null;
  };
  try {
    // Without the lock at first: most logs that stay are not worth one.
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
    // What cannot be read stays, and so does what another process holds.
    const stays = ['history_damaged', 'history_busy', 'lock_lost', 'history_unreadable'];
    if (error instanceof HistoryError && stays.includes(error.code)) return false;
    throw fileFailure(journal.files, error, 'write', journal.folder);
  }
}
