import type { Selectable } from 'kysely';
import { timestamp } from '../../model/time.ts';
import type { RecordOf, Schema } from '../core/schema.ts';
import { pipelined, statement } from '../core/statement.ts';
import type { Queries, Tenant } from '../core/storage.ts';

export type ApiKeyRecord = RecordOf<'apiKeys', { storeId: string; scopes: readonly string[] }>;

/** Whether a key may be used. */
export function stateOf(
  key: Pick<ApiKeyRecord, 'revokedAt' | 'expiresAt'>,
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt <= timestamp(now) ? 'expired' : 'active';
}

/** The one query without a store id: the key tells which store it is for. */
const keyById = statement<{ id: string }, Selectable<Schema['apiKeys']>>`
  select store_id, id, kind, label, sha256, scopes, created_at, expires_at, revoked_at, replaced_by, last_used_at
  from api_keys where id = ${'id'}`;

export async function findApiKey(db: Queries, id: string): Promise<ApiKeyRecord | undefined> {
  const [row] = (await keyById(db, { id })).rows;
  return row && { ...row, scopes: JSON.parse(row.scopes) };
}

/** Newest first. */
export async function listApiKeys({ db, storeId }: Tenant, limit: number): Promise<ApiKeyRecord[]> {
  const rows = await db
    .selectFrom('apiKeys')
    .select(['storeId', 'id', 'kind', 'label', 'sha256', 'scopes', 'createdAt', 'expiresAt', 'revokedAt'])
    .select(['replacedBy', 'lastUsedAt'])
    .where('storeId', '=', storeId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) }));
}

export const setReplaced = statement<{ storeId: string; id: string; replacedBy: string; expiresAt: string }>`
  update api_keys set replaced_by = ${'replacedBy'}, expires_at = ${'expiresAt'}
  where store_id = ${'storeId'} and id = ${'id'}`;

/** Notes in which hour a key was last used. */
export const setLastUsed = pipelined<{ id: string; at: string }>`
  update api_keys set last_used_at = ${'at'} where id = ${'id'}`;

/** Changes nothing if the key does not exist or was already revoked. */
export const setRevoked = statement<{ id: string; at: string }>`
  update api_keys set revoked_at = ${'at'} where id = ${'id'} and revoked_at is null`;

export const deleteExpired = statement<{ at: string }>`delete from api_keys where expires_at <= ${'at'}`;
