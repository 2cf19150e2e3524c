import type { RecordOf } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

export type ReclaimRecord = Omit<RecordOf<'subdomainReclaims'>, 'closedAt'>;

const reclaimById = statement<{ storeId: string; id: string }, ReclaimRecord>`
  select id, subdomain, reason, status, appeal_text, appealed_at, created_at from subdomain_reclaims
  where store_id = ${'storeId'} and id = ${'id'}`;

export async function findReclaim({ db, storeId }: Tenant, id: string): Promise<ReclaimRecord | undefined> {
  return (await reclaimById(db, { storeId, id })).rows[0];
}

/** Newest first: those with lower ids than one, unless it is null. */
export async function findReclaims({ db, storeId }: Tenant, limit: number, below: string | null) {
  const query = db
    .selectFrom('subdomainReclaims')
    .select(['id', 'subdomain', 'reason', 'status', 'appealText', 'createdAt', 'appealedAt', 'closedAt'])
    .where('storeId', '=', storeId)
    .orderBy('id', 'desc')
    .limit(limit);
  return (below === null ? query : query.where('id', '<', below)).execute();
}

/** Changes nothing if the notice does not exist, has an appeal or is closed. */
export const appealOpenReclaim = statement<{ storeId: string; id: string; text: string; at: string }>`
  update subdomain_reclaims set status = 'appealed', appeal_text = ${'text'}, appealed_at = ${'at'}
  where store_id = ${'storeId'} and id = ${'id'} and appealed_at is null and closed_at is null`;
