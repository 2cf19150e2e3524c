import { asObject, parseJson } from '../../base/json.ts';
import type { HistoryRecord } from '../journal/history-record.ts';
import { overlap, rulesOf } from '../operation-rules.ts';

/**
 * Tells whether something that was created is still there, by the restores among these records of its store: what was made
 * after the backup that a later restore brought back is gone. Numbers say what came after what. Of a restore that may not have
 * been applied, or of a backup of another machine, nothing is concluded.
 */
export function existenceAfter(records: readonly HistoryRecord[]): (created: HistoryRecord) => boolean {
  const applied = records.filter(({ state }) => state === 'applied');
  const restores = applied
    .filter(({ operation }) => operation === 'backup.restore')
    .sort((one, other) => other.number - one.number);
  if (restores.length === 0) return () => true;
  const backups = new Map<unknown, number>();
  for (const { operation, response, number } of applied) {
    if (operation === 'backup.create') backups.set(asObject(parseJson(response?.body)).id, number);
  }

  return (created) => {
    const isRestoredBy = (restore: HistoryRecord) =>
      restore.number > created.number && overlap(touchedBy(restore), touchedBy(created));
    /** Whether it was there once all changes before this number were made. */
    const existedBefore = (number: number): boolean => {
      if (created.number >= number) return false;
      const last = restores.find((restore) => restore.number < number && isRestoredBy(restore));
      if (last === undefined) return true;
      const backup = backups.get(decodeURIComponent(last.path.split('/').at(-2) ?? ''));
      return backup === undefined || existedBefore(backup);
    };
    return existedBefore(Number.POSITIVE_INFINITY);
  };
}

function touchedBy(record: HistoryRecord): readonly string[] {
  return rulesOf(record.operation).touches(record);
}
