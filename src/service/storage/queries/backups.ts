import type { RecordOf } from '../core/schema.ts';
import type { Tenant } from '../core/storage.ts';

/** A backup. Its sections are JSON, null if it does not have them; `blog` is ranges of positions. */
export type BackupRecord = RecordOf<'backups', { sections: readonly string[]; isPreRestore: boolean }>;

export async function findBackup({ db, storeId }: Tenant, id: string): Promise<BackupRecord | undefined> {
  const backups = db.selectFrom('backups').selectAll().where('storeId', '=', storeId);
  const row = await backups.where('id', '=', id).executeTakeFirst();
  return row && { ...row, sections: JSON.parse(row.sections), isPreRestore: row.isPreRestore === 1 };
}
