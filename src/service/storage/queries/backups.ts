import type { RecordOf } from '../core/schema.ts';
import type { Tenant } from '../core/storage.ts';

export type BackupRecord = RecordOf<'backups'>;

export type BackupSectionRecord = Omit<RecordOf<'backupSections'>, 'backupId' | 'position'>;

export async function insertBackup(
  { db, storeId }: Tenant,
  backup: BackupRecord,
  sections: readonly BackupSectionRecord[],
): Promise<void> {
  await db
    .insertInto('backups')
    .values({ ...backup, storeId })
    .execute();
  await db
    .insertInto('backupSections')
    .values(sections.map((section, position) => ({ ...section, storeId, backupId: backup.id, position })))
    .execute();
}

export async function findBackup({ db, storeId }: Tenant, id: string): Promise<BackupRecord | undefined> {
  return db
    .selectFrom('backups')
    .select(['id', 'version', 'label', 'createdAt'])
    .where('storeId', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Oldest first. */
export async function listBackups({ db, storeId }: Tenant) {
  const rows = await db
    .selectFrom('backups')
    .innerJoin('backupSections', (join) =>
      join
        .onRef('backupSections.storeId', '=', 'backups.storeId')
        .onRef('backupSections.backupId', '=', 'backups.id'),
    )
    .select(['backups.id', 'backups.label', 'backups.createdAt', 'backupSections.name'])
    .where('backups.storeId', '=', storeId)
    .orderBy('backups.createdAt')
    .orderBy('backups.id')
    .orderBy('backupSections.position')
    .execute();
  const backups = new Map(rows.map((row) => [row.id, row]));
  return [...backups.values()].map(({ id, label, createdAt }) => ({
    id,
    label,
    createdAt,
    sections: rows.filter((row) => row.id === id).map((row) => row.name),
  }));
}

/** In the order of the request. */
export async function listBackupSections(
  { db, storeId }: Tenant,
  backupId: string,
): Promise<BackupSectionRecord[]> {
  return db
    .selectFrom('backupSections')
    .select(['name', 'schemaVersion', 'itemCount', 'sha256', 'payload'])
    .where('storeId', '=', storeId)
    .where('backupId', '=', backupId)
    .orderBy('position')
    .execute();
}
