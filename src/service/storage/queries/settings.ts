import type { SettingsDocument } from '../../model/settings-document.ts';
import { statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

export interface SavedSettings {
  readonly document: Partial<SettingsDocument>;
  readonly updatedAt: string;
}

const settingsOf = statement<{ storeId: string }, { document: string; updatedAt: string }>`
  select document, updated_at from operations_settings where store_id = ${'storeId'}`;

export async function findSettings({ db, storeId }: Tenant): Promise<SavedSettings | undefined> {
  const [row] = (await settingsOf(db, { storeId })).rows;
  return row && { document: JSON.parse(row.document), updatedAt: row.updatedAt };
}

export async function putSettings({ db, storeId }: Tenant, settings: SavedSettings): Promise<void> {
  const row = { document: JSON.stringify(settings.document), updatedAt: settings.updatedAt };
  await db
    .insertInto('operationsSettings')
    .values({ storeId, ...row })
    .onConflict((conflict) => conflict.column('storeId').doUpdateSet(row))
    .execute();
}

export async function deleteSettings({ db, storeId }: Tenant): Promise<void> {
  await db.deleteFrom('operationsSettings').where('storeId', '=', storeId).execute();
}
