import type { HistoryRecord } from './history-record.ts';
import { acquireNow, type Journal } from './journal.ts';
import { fileOf, readLog } from './log-folder.ts';
import { type LogName, type LogStatus, makeLogName } from './log-name.ts';

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
export function settledStatus(records: Iterable<HistoryRecord>, now: number): LogStatus {
  for (const record of records) if (record.open || remainingWait(record, now) > 0) return 'unsettled';
  return 'closed';
}

/** Renames the log, whose lock the caller holds, without a sync: a name is a hint. */
export function renameLog(journal: Journal, log: LogName, status: LogStatus): LogName {
  const renamed = makeLogName({ ...log, status });
  if (status !== log.status) {
    journal.files.fileSystem.renameSync(fileOf(journal, log.name), fileOf(journal, renamed.name));
  }
  return renamed;
}

/**
 * Gives a log with a closing line, in which nothing is open and no wait is left, the name of a closed one, so that others do
 * not read it again. Does nothing if another process holds it. Never rejects.
 */
export async function settleLog(journal: Journal, log: LogName): Promise<void> {
  try {
    const lock = await acquireNow(journal, log.id);
    try {
      const found = readLog(journal, log);
      if (found?.isClosed !== true) return;
      const status = settledStatus(found.records.values(), journal.now());
      if (status === 'closed') renameLog(journal, found.name, status);
    } finally {
      lock.release();
    }
  } catch {
    // The next one who notices it tries again.
  }
}
