import type { SettingsDocument } from '../../model/settings-document.ts';
import { effect, statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

export interface SavedSettings {
  readonly document: Partial<SettingsDocument>;
  readonly updatedAt: string;
}

/** Before they are first saved, the document is null and they are as old as the store. */
export type FoundSettings = SavedSettings | (Omit<SavedSettings, 'document'> & { readonly document: null });

interface SettingsRow {
  readonly document: string | null;
  readonly updatedAt: string;
}

const settingsOf = statement<{ storeId: string }, SettingsRow>`
  select settings.document, coalesce(settings.updated_at, store.created_at) as updated_at
  from stores as store left join operations_settings as settings on settings.store_id = store.id
  where store.id = ${'storeId'} and store.deleted_at is null`;

/** Undefined if the store does not exist. */
export async function findSettings({ db, storeId }: Tenant): Promise<FoundSettings | undefined> {
  const [row] = (await settingsOf(db, { storeId })).rows;
  return row && { ...row, document: row.document === null ? null : JSON.parse(row.document) };
}

export const putSettings = effect<SavedSettings & { storeId: string }>`
  insert into operations_settings (store_id, document, updated_at)
  values (${'storeId'}, ${'document'}, ${'updatedAt'})
  on conflict (store_id) do update set document = excluded.document, updated_at = excluded.updated_at`;

export async function deleteSettings({ db, storeId }: Tenant): Promise<void> {
  await db.deleteFrom('operationsSettings').where('storeId', '=', storeId).execute();
}
