import type { SettingsDocument } from '../../model/settings-document.ts';
import { prepare } from '../core/prepared.ts';
import type { Tenant } from '../core/storage.ts';

export interface SavedSettings {
  readonly document: Partial<SettingsDocument>;
  readonly updatedAt: string;
}

const settingsOf = prepare((db, { storeId }: { readonly storeId: string }) =>
  db.selectFrom('operationsSettings').select(['document', 'updatedAt']).where('storeId', '=', storeId),
);

export async function findSettings({ db, storeId }: Tenant): Promise<SavedSettings | undefined> {
  const [row] = await settingsOf(db, { storeId });
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
