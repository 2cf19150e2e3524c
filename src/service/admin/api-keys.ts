import { randomBytes } from 'node:crypto';
import { base62, formatKey } from '../../contract/api-key.ts';
import { sha256 } from '../model/canonical-json.ts';
import { ServiceError } from '../model/errors.ts';
import { type Preset, presets, type Scope } from '../model/scopes.ts';
import { timestamp } from '../model/time.ts';
import type { Storage, Tenant } from '../storage/core/storage.ts';
import {
  type ApiKeyRecord,
  deleteKeysExpiredBefore,
  findApiKey,
  insertApiKey,
  listApiKeys,
  setReplaced,
  setRevoked,
  stateOf,
} from '../storage/queries/api-keys.ts';
import { findStore } from '../storage/queries/stores.ts';

export type NewKey = {
  readonly storeId: string;
  /** Name for people. */
  readonly label?: string;
  readonly expiresInSeconds?: number;
  /** `live` unless given. Only the look of the key depends on it. */
  readonly kind?: 'live' | 'demo';
} & ({ readonly preset: Preset } | { readonly scopes: readonly Scope[] });

export interface CreatedKey {
  /** Shown here and never again: the database holds its hash only. */
  readonly key: string;
  readonly id: string;
  readonly scopes: readonly string[];
  /** Null for never. */
  readonly expiresAt: string | null;
}

/** Makes an API key of a store. Rejects with a ServiceError, `not_found`, when there is no such store. */
export async function createKey(storage: Storage, options: NewKey): Promise<CreatedKey> {
  const { storeId, label = '', kind = 'live', expiresInSeconds } = options;
  const now = Date.now();
  return storage.forStore(storeId).write(async (db) => {
    await requireStore({ db, storeId });
    return addKey(
      { db, storeId },
      {
        kind,
        label,
        scopes: 'preset' in options ? presets[options.preset] : options.scopes,
        createdAt: timestamp(now),
        expiresAt: expiresInSeconds === undefined ? null : timestamp(now + expiresInSeconds * 1000),
      },
    );
  });
}

export interface ListedKey {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** The keys of a store, oldest first. Rejects with a ServiceError, `not_found`, when there is no such store. */
export async function listKeys(storage: Storage, storeId: string): Promise<ListedKey[]> {
  const now = Date.now();
  return storage.forStore(storeId).read(async (db) => {
    await requireStore({ db, storeId });
    const keys = await listApiKeys({ db, storeId });
    return keys.map(({ storeId: _, sha256: __, ...key }) => ({ ...key, state: stateOf(key, now) }));
  });
}

/** Makes a key invalid from now on. Answers false when there is no such key or it was revoked before. */
export async function revokeKey(storage: Storage, keyId: string, storeId?: string): Promise<boolean> {
  return storage.write(async (db) => {
    const key = await findApiKey(db, keyId);
    if (storeId !== undefined && key?.storeId !== storeId) return false;
    return setRevoked(db, keyId, timestamp(Date.now()));
  });
}

export interface RotatedKey extends CreatedKey {
  readonly storeId: string;
  /** The key that it takes the place of, and until when that is valid. */
  readonly previous: { readonly id: string; readonly expiresAt: string };
}

/**
 * Makes a key that may do what another may, for as long as that one was made for. The other stays valid for the
 * overlap, and never longer than it was. Rejects with a ServiceError: `not_found`, or `state_conflict` for a key that
 * is revoked, has expired, or is being replaced already.
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
  return storage.write(async (db, locks) => {
    await locks.takeTurn();
    const old = await findApiKey(db, keyId);
    if (old === undefined || (only !== undefined && only !== old.storeId)) {
      // What was given may be a key itself by mistake, so it is not repeated.
      throw new ServiceError('not_found', 'There is no key with this id.');
    }
    const state = stateOf(old, now);
    if (state !== 'active') throw new ServiceError('state_conflict', `Key ${keyId} is ${state}.`);
    if (old.replacedBy !== null) {
      const detail = `Key ${keyId} is being replaced by ${old.replacedBy}, and ends at ${old.expiresAt}.`;
      throw new ServiceError('state_conflict', detail);
    }

    const { storeId, kind, label, scopes, createdAt } = old;
    const lifetimeMs = old.expiresAt && Date.parse(old.expiresAt) - Date.parse(createdAt);
    const created = await addKey(
      { db, storeId },
      {
        kind: kind === 'demo' ? 'demo' : 'live',
        label,
        scopes,
        createdAt: timestamp(now),
        expiresAt: lifetimeMs === null ? null : timestamp(now + Number(lifetimeMs)),
      },
    );
    const overlapEnd = timestamp(now + overlapSeconds * 1000);
    const expiresAt = old.expiresAt !== null && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd;
    await setReplaced({ db, storeId }, keyId, created.id, expiresAt);
    return { ...created, storeId, previous: { id: keyId, expiresAt } };
  });
}

/** Removes the keys of all stores that have expired. Answers how many there were. */
export async function deleteExpiredKeys(storage: Storage): Promise<number> {
  return storage.write((db) => deleteKeysExpiredBefore(db, timestamp(Date.now())));
}

type KeyProperties = Pick<ApiKeyRecord, 'label' | 'scopes' | 'createdAt' | 'expiresAt'> & {
  readonly kind: 'live' | 'demo';
};

async function addKey({ db, storeId }: Tenant, properties: KeyProperties): Promise<CreatedKey> {
  const id = base62(randomBytes(9)).slice(-12);
  const key = formatKey({ kind: properties.kind, id, secret: base62(randomBytes(32)) });
  await insertApiKey(db, {
    ...properties,
    id,
    storeId,
    sha256: sha256(key),
    revokedAt: null,
    replacedBy: null,
  });
  return { key, id, scopes: properties.scopes, expiresAt: properties.expiresAt };
}

async function requireStore(tenant: Tenant): Promise<void> {
  if ((await findStore(tenant)) !== undefined) return;
  throw new ServiceError('not_found', `There is no store ${tenant.storeId}.`);
}
