import type { RecordOf } from '../core/schema.ts';
import type { Tenant } from '../core/storage.ts';

export type ReclaimRecord = Omit<RecordOf<'subdomainReclaims'>, 'closedAt'>;

export async function insertReclaim({ db, storeId }: Tenant, reclaim: ReclaimRecord): Promise<void> {
  await db
    .insertInto('subdomainReclaims')
    .values({ ...reclaim, storeId })
    .execute();
}

export async function findReclaim({ db, storeId }: Tenant, id: string): Promise<ReclaimRecord | undefined> {
  return db
    .selectFrom('subdomainReclaims')
    .select(['id', 'subdomain', 'reason', 'status', 'appealText', 'appealedAt', 'createdAt'])
    .where('storeId', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Oldest first. */
export async function listReclaims({ db, storeId }: Tenant) {
  return db
    .selectFrom('subdomainReclaims')
    .select(['id', 'subdomain', 'status', 'createdAt'])
    .where('storeId', '=', storeId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/** Returns false and changes nothing if the notice does not exist or has an appeal. */
export async function appealOpenReclaim(
  { db, storeId }: Tenant,
  id: string,
  appeal: { readonly text: string; readonly at: string },
): Promise<boolean> {
  const result = await db
    .updateTable('subdomainReclaims')
    .set({ status: 'appealed', appealText: appeal.text, appealedAt: appeal.at })
    .where('storeId', '=', storeId)
    .where('id', '=', id)
    .where('appealedAt', 'is', null)
    .where('closedAt', 'is', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}
