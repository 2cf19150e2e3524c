import { type History, logIdOf } from '../history.ts';
import { recordIn } from '../journal/log-writer.ts';
import { reopenLog } from '../journal/open-log.ts';
import { includesPaths, overlap, rulesOf, writtenPaths } from '../operation-rules.ts';
import { type HistoryRecord, isInDoubt } from '../record/history-record.ts';
import { type ChangeRequest, intentOf, isSameCommand } from '../record/intent.ts';

/**
 * Ends the doubt about those of `past` that no longer matter, because a later change that was applied sets the same. What another
 * process works on is left to it.
 */
export async function supersede(
  history: History,
  later: HistoryRecord,
  past: readonly HistoryRecord[],
): Promise<void> {
  const superseded = past.filter((earlier) => isInDoubt(earlier) && isSuperseded(earlier, later));
  for (const earlier of superseded) {
    const logId = logIdOf(earlier.id);
    if (history.journal.isLogHeld(logId)) continue;
    try {
      const writer = await reopenLog(history.journal, logId);
      // Its process may have found out more, and ended, since it was listed.
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

/** A change in doubt that may yet set what this request sets, or null. Throws a DamagedError. */
export function findInDoubt(history: History, request: ChangeRequest): HistoryRecord | null {
  const open = history.refresh().records({ open: true });
  const touched = writtenPaths(intentOf(request, history.journal.store.storeId));
  const contends = (record: HistoryRecord) => isInDoubt(record) && overlap(writtenPaths(record), touched);
  return [...open].find(contends) ?? null;
}

/** Whether a doubt about `earlier` no longer matters, given that `later` was applied. */
export function isSuperseded(earlier: HistoryRecord, later: HistoryRecord): boolean {
  if (earlier.requestLost || later.state !== 'applied' || later.number <= earlier.number) return false;
  const rules = rulesOf(later.operation);
  if (rules.supersedesSame && isSameCommand(earlier, later, 'fingerprint')) return true;
  // Ordered changes set values in the order of their numbers: the later one replaces what the earlier one set.
  if (!rules.inOrder || !rulesOf(earlier.operation).inOrder) return false;
  return includesPaths(writtenPaths(later), writtenPaths(earlier));
}
