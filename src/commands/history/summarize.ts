import { type RecordSummary, recordSummary } from '../../cli/output/record-summary.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import { indexUndos } from '../../history/changes/undo.ts';
import { knownObjects } from '../../history/objects/known-objects.ts';
import { type HistoryRecord, objectIdOf } from '../../history/record/history-record.ts';

/** A change in the list, with the undo of it. */
export type ListedChange = RecordSummary & { readonly undoneBy: string | null };

/** `all` are the records of the store. A restore has the label of its backup, or the id if this machine does not know the label. */
export function summarize(records: readonly HistoryRecord[], all: readonly HistoryRecord[]): ListedChange[] {
  const known = knownObjects('backup', all);
  const undoneBy = indexUndos(all);
  return records.map((record) => {
    const summary = { ...recordSummary(record), undoneBy: undoneBy(record)?.id ?? null };
    if (record.operation !== restoreBackup.id || record.undoes !== null) return summary;
    const backupId = objectIdOf(record);
    const label = known.find(({ id }) => id === backupId)?.fields.label;
    return { ...summary, label: typeof label === 'string' ? label : backupId };
  });
}
