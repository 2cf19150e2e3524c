import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { sha256 } from '../../base/sha256.ts';
import { base62, formatKey } from '../../contract/api-key.ts';
import { type Preset, presets, type Scope } from '../../contract/operations/scopes.ts';
import { notFound, ServiceError } from '../model/errors.ts';
import { oneLine } from '../model/field-schemas.ts';
import { timestamp } from '../model/time.ts';
import { validate } from '../model/validation.ts';
import { insert } from '../storage/core/statement.ts';
import type { Storage, Tenant } from '../storage/core/storage.ts';
import {
  type ApiKeyRecord,
  deleteExpired,
  findApiKey,
  listApiKeys,
  setReplaced,
  setRevoked,
  stateOf,
} from '../storage/queries/api-keys.ts';
import { findStore } from '../storage/queries/stores.ts';
import { logOperation, operate } from './operate.ts';

export type NewKey = {
  readonly storeId: string;
  /** For people. */
  readonly label?: string | undefined;
  readonly expiresInSeconds?: number | undefined;
  /** Visible in the key, without other effects. Default: `live`. */
  readonly kind?: 'live' | 'demo';
} & ({ readonly preset: Preset } | { readonly scopes: readonly Scope[] });

export interface CreatedKey {
  /** Only here: the database stores its hash. */
  readonly key: string;
  readonly id: string;
  readonly scopes: readonly string[];
  /** Null for never. */
  readonly expiresAt: string | null;
}

const named = z.strictObject({ label: oneLine(120) });

/**
 * Creates an API key. Rejects with a ServiceError: `not_found` if the store does not exist, `validation_failed` for its label.
 */
export async function createKey(storage: Storage, options: NewKey): Promise<CreatedKey> {
  const { storeId, kind = 'live', expiresInSeconds } = options;
  const { label } = validate(named, { label: options.label ?? '' });
  const now = Date.now();
  const properties = {
    kind,
    label,
    scopes: 'preset' in options ? presets[options.preset] : options.scopes,
    createdAt: timestamp(now),
    expiresAt: expiresInSeconds === undefined ? null : timestamp(now + expiresInSeconds * 1000),
  };
  return operate(storage, storeId, 'keys create', (work) => addKey(work, properties));
}

/** `lastUsedAt` is the beginning of the hour. */
export interface ListedKey extends Omit<ApiKeyRecord, 'storeId' | 'sha256'> {
  readonly state: 'active' | 'expired' | 'revoked';
}

/** The keys of a store, newest first. Rejects with a ServiceError `not_found` if the store does not exist. */
export async function listKeys(storage: Storage, storeId: string, limit: number): Promise<ListedKey[]> {
  const now = Date.now();
  return storage.forStore(storeId).read(async (db) => {
    if ((await findStore({ db, storeId })) === undefined) throw notFound('Store', storeId);
    const keys = await listApiKeys({ db, storeId }, limit);
    return keys.map(({ storeId: _, sha256: __, ...key }) => ({ ...key, state: stateOf(key, now) }));
  });
}

/** Revokes a key. Returns false if the key does not exist or was already revoked. */
export async function revokeKey(storage: Storage, keyId: string, storeId?: string): Promise<boolean> {
  return storage.write(async (db) => {
    const key = await findApiKey(db, keyId);
    if (key === undefined || (storeId !== undefined && key.storeId !== storeId)) return false;
    const isRevoked = (await setRevoked(db, { id: keyId, at: timestamp(Date.now()) })).changes > 0;
    if (isRevoked) await logOperation(storage, db, 'keys revoke', key.storeId, keyId);
    return isRevoked;
  });
}

export interface RotatedKey extends CreatedKey {
  readonly storeId: string;
  /** The replaced key, and the end of its validity. */
  readonly previous: { readonly id: string; readonly expiresAt: string };
}

/**
 * Replaces a key by a new one with the same scopes and the same lifetime. The old one stays valid for the overlap, but not
 * longer than before. Rejects with a ServiceError: `not_found`, or `state_conflict` for a key that is revoked, expired or
 * already replaced.
 */
export async function rotateKey(
  storage: Storage,
  keyId: string,
  {
    overlapSeconds,
    storeId: only,
  }: { readonly overlapSeconds: number; readonly storeId?: string | undefined },
): Promise<RotatedKey> {
  const now = Date.now();
  const found = await storage.read((db) => findApiKey(db, keyId));
  if (found === undefined || (only !== undefined && only !== found.storeId)) {
    // The id is not repeated: it may be a whole key, given by mistake.
    throw new ServiceError('not_found', 'Key not found');
  }
  return storage.forStore(found.storeId).change(async (db) => {
    const old = (await findApiKey(db, keyId)) ?? found;
    const state = stateOf(old, now);
    if (state !== 'active') throw new ServiceError('state_conflict', `Key ${keyId} is ${state}`);
    if (old.replacedBy !== null) {
      const detail = `Key ${keyId} is already replaced by ${old.replacedBy} and expires at ${old.expiresAt}`;
      throw new ServiceError('state_conflict', detail);
    }

    const { storeId, kind, label, scopes } = old;
    const lifetimeMs = old.expiresAt && Date.parse(old.expiresAt) - Date.parse(old.createdAt);
    const createdAt = timestamp(now);
    const newExpiry = lifetimeMs === null ? null : timestamp(now + Number(lifetimeMs));
    const properties = { kind, label, scopes, createdAt, expiresAt: newExpiry };
    const created = await addKey({ db, storeId }, properties);
    const overlapEnd = timestamp(now + overlapSeconds * 1000);
    const expiresAt = old.expiresAt !== null && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd;
    await setReplaced(db, { storeId, id: keyId, replacedBy: created.id, expiresAt });
    await logOperation(storage, db, 'keys rotate', storeId, keyId);
    return { ...created, storeId, previous: { id: keyId, expiresAt } };
  });
}

/** Deletes expired keys of all stores. Returns their number. */
export async function deleteExpiredKeys(storage: Storage): Promise<number> {
  return storage.write(async (db) => (await deleteExpired(db, { at: timestamp(Date.now()) })).changes);
}

type KeyProperties = Pick<ApiKeyRecord, 'kind' | 'label' | 'scopes' | 'createdAt' | 'expiresAt'>;

async function addKey(tenant: Tenant, properties: KeyProperties): Promise<CreatedKey> {
  const id = base62(randomBytes(9)).slice(-12);
  const kind = properties.kind === 'demo' ? 'demo' : 'live';
  const key = formatKey({ kind, id, secret: base62(randomBytes(32)) });
  await insert(tenant, 'apiKeys', { ...properties, id, sha256: sha256(key) });
  return { key, id, scopes: properties.scopes, expiresAt: properties.expiresAt };
}
