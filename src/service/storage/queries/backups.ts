import type { RecordOf } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import type { ObjectRef, Tenant } from '../core/storage.ts';

/** A backup. Its sections are JSON, null if it does not have them; `blog` is ranges of positions. */
export type BackupRecord = RecordOf<'backups', { sections: readonly string[]; isPreRestore: boolean }>;

export async function findBackup({ db, storeId }: Tenant, id: string): Promise<BackupRecord | undefined> {
  const row = await db
    .selectFrom('backups')
    .select(['id', 'version', 'label', 'createdAt', 'isPreRestore', 'sections'])
    .select(['store', 'blog', 'settings', 'endpoints'])
    .where('storeId', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...row, sections: JSON.parse(row.sections), isPreRestore: row.isPreRestore === 1 };
}

/** Newest first, without their content: those with lower ids than one, unless it is null. */
export async function findBackups({ db, storeId }: Tenant, limit: number, below: string | null) {
  const query = db
    .selectFrom('backups')
    .select(['id', 'version', 'label', 'sections', 'createdAt', 'isPreRestore'])
    .where('storeId', '=', storeId)
    .orderBy('id', 'desc')
    .limit(limit);
  return (below === null ? query : query.where('id', '<', below)).execute();
}

/** A backup, and what the store has now of the same kinds: JSON, but for what is named otherwise. */
interface BackupAndStore {
  readonly id: string;
  readonly version: number;
  readonly label: string;
  readonly createdAt: string;
  readonly isPreRestore: number;
  readonly sections: string;
  readonly store: string | null;
  readonly blog: string | null;
  readonly settings: string | null;
  readonly endpoints: string | null;
  /** Text, as the next three. */
  readonly name: string;
  readonly slug: string;
  readonly defaultCurrency: string;
  readonly timezone: string;
  readonly storeSettings: string;
  readonly ranges: string;
  /** Position of the newest post, null if there never was one. */
  readonly newest: number | null;
  readonly document: string | null;
  /** With commas between them, null if there are none. */
  readonly endpointIds: string | null;
}

/** In one statement, so that all of it is from the same moment. The bound of the newest position is explained in events.ts. */
const backupAndStore = statement<ObjectRef, BackupAndStore>`
  select backup.id, backup.version, backup.label, backup.created_at, backup.is_pre_restore, backup.sections,
    backup.store, backup.blog, backup.settings, backup.endpoints,
    current.name, current.slug, current.default_currency, current.timezone, current.settings as store_settings,
    current.blog as ranges,
    (select position from posts where posts.store_id = current.id and position > 0
      order by position desc limit 1) as newest,
    (select document from operations_settings where operations_settings.store_id = current.id) as document,
    (select string_agg(endpoints.id, ',') from endpoints where endpoints.store_id = current.id) as endpoint_ids
  from backups as backup join stores as current on current.id = ${'storeId'}
  where backup.store_id = ${'storeId'} and backup.id = ${'id'}`;

export async function findBackupAndStore(
  { db, storeId }: Tenant,
  id: string,
): Promise<BackupAndStore | undefined> {
  return (await backupAndStore(db, { storeId, id })).rows[0];
}
