import type { StoreHistory } from '../history.ts';
import { recordIn } from '../journal/log-writer.ts';
import { reopenLog } from '../journal/open-log.ts';
import { includesPaths, overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import type { ChangeRequest } from '../record/change-request.ts';
import { type HistoryRecord, isInDoubt, logIdOf } from '../record/history-record.ts';
import { intentOf, isSameCommand } from '../record/intent.ts';

/**
 * Marks records of `past` as superseded: they are in doubt, and the change `later`, which was applied, sets the same. A record whose log
 * another process holds is left to that process.
 */
export async function supersede(
  history: StoreHistory,
  later: HistoryRecord,
  past: readonly HistoryRecord[],
): Promise<void> {
  const superseded = past.filter((earlier) => isInDoubt(earlier) && isSuperseded(earlier, later));
  for (const earlier of superseded) {
    const logId = logIdOf(earlier.id);
    if (history.journal.isLogHeld(logId)) continue;
    try {
      const writer = await reopenLog(history.journal, logId);
      // The process that held the log may have settled the record since the log was read.
      if (isInDoubt(recordIn(writer.records, earlier.id))) {
        await writer.change([{ id: earlier.id, supersededBy: later.id }]);
        history.explain({ kind: 'superseded', id: earlier.id, by: later.id });
      }
      await writer.close();
    } catch {
      // The record stays open. The next `resume` comes to the same conclusion.
    }
  }
}

/** A change in doubt that sets some of what this request sets, or null. Throws a DamagedError. */
export function findInDoubt(history: StoreHistory, request: ChangeRequest): HistoryRecord | null {
  const open = history.refresh().records({ open: true });
  const paths = writtenPaths(intentOf(request, history.journal.store.storeId));
  const mayConflict = (record: HistoryRecord) => isInDoubt(record) && overlap(writtenPaths(record), paths);
  return [...open].find(mayConflict) ?? null;
}

/** Whether `later` was applied and sets all that `earlier` sets, so that the doubt about `earlier` no longer matters. */
export function isSuperseded(earlier: HistoryRecord, later: HistoryRecord): boolean {
  if (earlier.requestLost || later.state !== 'applied' || later.number <= earlier.number) return false;
  const rules = rulesOf(later.operation);
  if (rules.supersedesSame && isSameCommand(earlier, later, 'fingerprint')) return true;
  // Changes in order take effect in the order of their numbers, so the later one replaces the values of the earlier one.
  if (!rules.inOrder || !rulesOf(earlier.operation).inOrder) return false;
  return includesPaths(writtenPaths(later), writtenPaths(earlier));
}
