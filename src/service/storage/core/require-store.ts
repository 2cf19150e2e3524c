import { notFound } from '../../model/errors.ts';
import { statement } from './statement.ts';
import { isEmbedded, type Tenant } from './storage.ts';

const find = statement<{ storeId: string }, object>`
  select 1 from stores where id = ${'storeId'} and deleted_at is null`;

/** Foreign keys of other transactions that name the store do not wait for it. */
const lock = statement<{ storeId: string }, object>`
  select 1 from stores where id = ${'storeId'} and deleted_at is null for no key update`;

/** Locks the store until the transaction ends. Throws `not_found` if it does not exist or was deleted. */
export async function requireStore({ db, storeId }: Tenant): Promise<void> {
  const { rows } = await (isEmbedded(db) ? find : lock)(db, { storeId });
  if (rows.length === 0) throw notFound('Store', storeId);
}
