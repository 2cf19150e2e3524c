import { sql } from 'kysely';
import type { RecordOf } from '../core/schema.ts';
import type { Tenant } from '../core/storage.ts';

export type BackupRecord = Omit<RecordOf<'backups'>, 'isPreRestore'>;

export type BackupSectionRecord = Omit<RecordOf<'backupSections'>, 'backupId' | 'position' | 'payload'>;

/** Some of the items of a section. */
export type BackupChunk = Pick<RecordOf<'backupChunks'>, 'itemCount' | 'payload'>;

/** Nobody sees a backup before it has sections. Does nothing if it is there. */
export async function insertBackup({ db, storeId }: Tenant, backup: BackupRecord): Promise<void> {
  await db
    .insertInto('backups')
    .values({ ...backup, storeId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function insertBackupSections(
  { db, storeId }: Tenant,
  backupId: string,
  sections: readonly BackupSectionRecord[],
): Promise<void> {
  await db
    .insertInto('backupSections')
    .values(sections.map((section, position) => ({ ...section, storeId, backupId, position, payload: '' })))
    .execute();
}

export async function insertBackupChunk(
  { db, storeId }: Tenant,
  chunk: Omit<RecordOf<'backupChunks'>, 'storeId'>,
): Promise<void> {
  await db
    .insertInto('backupChunks')
    .values({ ...chunk, storeId })
    .execute();
}

/** Ids of the backups without sections that are older than this time. */
export async function listUnfinished({ db, storeId }: Tenant, before: string): Promise<string[]> {
  const rows = await db
    .selectFrom('backups')
    .leftJoin('backupSections', (join) =>
      join
        .onRef('backupSections.storeId', '=', 'backups.storeId')
        .onRef('backupSections.backupId', '=', 'backups.id'),
    )
    .select('backups.id')
    .where('backups.storeId', '=', storeId)
    .where('backups.createdAt', '<', before)
    .where('backupSections.name', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Chunks of a backup that are deleted at a time. */
const maxDeleted = 16;

/** Deletes chunks of a backup that has no sections, and at last itself. Answers how many chunks it deleted. */
export async function deleteUnfinished({ db, storeId }: Tenant, id: string): Promise<number> {
  const { rows } = await sql`delete from backup_chunks where store_id = ${storeId} and backup_id = ${id}
    and (section, position) in (select section, position from backup_chunks as chunk
      where chunk.store_id = ${storeId} and chunk.backup_id = ${id} limit ${maxDeleted})
    and not exists (select 1 from backup_sections as finished
      where finished.store_id = ${storeId} and finished.backup_id = ${id})
    returning position`.execute(db);
  if (rows.length > 0) return rows.length;
  await sql`delete from backups where store_id = ${storeId} and id = ${id}
    and not exists (select 1 from backup_sections where store_id = ${storeId} and backup_id = ${id})`.execute(
    db,
  );
  return 0;
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
    .select(['name', 'schemaVersion', 'itemCount', 'sha256'])
    .where('storeId', '=', storeId)
    .where('backupId', '=', backupId)
    .orderBy('position')
    .execute();
}

/** The content of a section from a position on, one chunk at a time. In format version 1 it is a single one. */
export async function* readBackupChunks(
  { db, storeId }: Tenant,
  backupId: string,
  section: string,
  from: number,
): AsyncGenerator<BackupChunk> {
  const old = await db
    .selectFrom('backupSections')
    .select(['payload'])
    .where('storeId', '=', storeId)
    .where('backupId', '=', backupId)
    .where('name', '=', section)
    .where('payload', 'not in', ['', '[]'])
    .executeTakeFirst();
  if (old !== undefined) {
    if (from === 0) yield { itemCount: JSON.parse(old.payload).length, payload: old.payload.slice(1, -1) };
    return;
  }
  for (let position = from; ; position++) {
    const chunk = await db
      .selectFrom('backupChunks')
      .select(['itemCount', 'payload'])
      .where('storeId', '=', storeId)
      .where('backupId', '=', backupId)
      .where('section', '=', section)
      .where('position', '=', position)
      .executeTakeFirst();
    if (chunk === undefined) return;
    yield chunk;
  }
}
