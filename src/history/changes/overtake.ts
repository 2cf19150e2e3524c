import { type History, logIdOf } from '../history.ts';
import { type ChangeRequest, intentOf, isSameCommand } from '../intent.ts';
import { type HistoryRecord, isInDoubt } from '../journal/history-record.ts';
import { reopenLog } from '../journal/open-log.ts';
import { covers, overlap, rulesOf, touchesOf } from '../operation-rules.ts';

/**
 * Ends the doubt about earlier changes that no longer matter, because a later one that was applied sets the same. What another
 * process works on is left to it.
 */
export async function overtake(
  history: History,
  later: HistoryRecord,
  past: readonly HistoryRecord[],
): Promise<void> {
  const overtaken = past.filter((earlier) => isInDoubt(earlier) && isOvertaken(earlier, later));
  for (const earlier of overtaken) {
    const logId = logIdOf(earlier.id);
    if (history.journal.isLogHeld(logId)) continue;
    try {
      const writer = await reopenLog(history.journal, logId);
      await writer.change([{ id: earlier.id, overtakenBy: later.id }]);
      await writer.close();
    } catch {
      // The record stays open. The next `resume` comes to the same conclusion.
    }
  }
}

/** A change in doubt that may yet set what this request sets, or null. Throws a DamagedError. */
export function findContender(history: History, request: ChangeRequest): HistoryRecord | null {
  const touched = touchesOf(intentOf(request, history.journal.store.storeId));
  const contends = (record: HistoryRecord) => isInDoubt(record) && overlap(touchesOf(record), touched);
  return history.readForChange(request.operation.id).find(contends) ?? null;
}

/** Whether a doubt about `earlier` no longer matters, given that `later` was applied. */
export function isOvertaken(earlier: HistoryRecord, later: HistoryRecord): boolean {
  if (earlier.unreadable || later.state !== 'applied' || later.number <= earlier.number) return false;
  const rules = rulesOf(later.operation);
  if (rules.isAboutNow && isSameCommand(earlier, later, 'fingerprint')) return true;
  // Ordered changes set values in the order of their numbers: the later one replaces what the earlier one set.
  if (!rules.isOrdered || !rulesOf(earlier.operation).isOrdered) return false;
  return covers(touchesOf(later), touchesOf(earlier));
}
