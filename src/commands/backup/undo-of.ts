import type { Session } from '../../cli/command/session.ts';
import { CliError } from '../../cli/core/errors.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import { indexUndos } from '../../history/changes/undo.ts';
import type { HistoryRecord } from '../../history/record/history-record.ts';

/** Finds the restore that `undo` takes back with a backup: its id, or null. */
export async function findUndoOf(session: Session): Promise<(backupId: string) => string | null> {
  const restores = await restoresOf(session);
  const undoneBy = indexUndos(restores);
  const open = restores.filter((record) => record.state === 'applied' && undoneBy(record) === null);
  const ids = new Map(open.map(({ id, safetyBackupId }) => [safetyBackupId, id]));
  return (backupId) => ids.get(backupId) ?? null;
}

/** Those of this machine, which without a home folder has no history. */
async function restoresOf(session: Session): Promise<readonly HistoryRecord[]> {
  try {
    return (await session.history()).snapshot().list({ operation: restoreBackup.id }).records;
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}
