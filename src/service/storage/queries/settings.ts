import { notFound } from '../../model/errors.ts';
import type { SettingsDocument } from '../../model/settings-document.ts';
import { pipelined, statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

/** Before they are first saved, the document is null and they are as old as the store. */
export interface FoundSettings {
  readonly document: Partial<SettingsDocument> | null;
  readonly updatedAt: string;
}

const settingsOf = statement<{ storeId: string }, { document: string | null; updatedAt: string }>`
  select settings.document, coalesce(settings.updated_at, store.created_at) as updated_at
  from stores as store left join operations_settings as settings on settings.store_id = store.id
  where store.id = ${'storeId'} and store.deleted_at is null`;

/** Throws `not_found` if the store does not exist. */
export async function findSettings({ db, storeId }: Tenant): Promise<FoundSettings> {
  const [row] = (await settingsOf(db, { storeId })).rows;
  if (row === undefined) throw notFound('Store', storeId);
  return { ...row, document: JSON.parse(row.document ?? 'null') };
}

export const putSettings = pipelined<FoundSettings & { storeId: string; document: object }>`
  insert into operations_settings (store_id, document, updated_at)
  values (${'storeId'}, ${'document'}, ${'updatedAt'})
  on conflict (store_id) do update set document = excluded.document, updated_at = excluded.updated_at`;

export const deleteSettings = pipelined<{ storeId: string }>`
  delete from operations_settings where store_id = ${'storeId'}`;
