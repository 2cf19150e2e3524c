import { randomBytes } from 'node:crypto';
import { base62, formatKey } from '../contract/api-key.ts';
import { sha256 } from './canonical-json.ts';
import { ServiceError } from './errors.ts';
import { type Preset, presets, type Scope } from './scopes.ts';
import { deleteKeysExpiredBefore, insertApiKey, setRevoked } from './storage/api-keys.ts';
import type { Storage } from './storage/storage.ts';
import { findStore } from './storage/stores.ts';
import { timestamp } from './work.ts';

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
  readonly scopes: readonly Scope[];
}

/** Makes an API key of a store. Rejects with a ServiceError, `not_found`, when there is no such store. */
export async function createKey(storage: Storage, options: NewKey): Promise<CreatedKey> {
  const { storeId, label = '', kind = 'live', expiresInSeconds } = options;
  const granted = 'preset' in options ? presets[options.preset] : options.scopes;
  const id = base62(randomBytes(9)).slice(-12);
  const key = formatKey({ kind, id, secret: base62(randomBytes(32)) });
  const now = Date.now();
  await storage.write(async (db) => {
    if ((await findStore({ db, storeId })) === undefined) {
      throw new ServiceError('not_found', `There is no store ${storeId}.`);
    }
    await insertApiKey(db, {
      id,
      storeId,
      kind,
      label,
      sha256: sha256(key),
      scopes: granted,
      createdAt: timestamp(now),
      expiresAt: expiresInSeconds === undefined ? null : timestamp(now + expiresInSeconds * 1000),
      revokedAt: null,
    });
  });
  return { key, id, scopes: granted };
}

/** Makes a key invalid from now on. Answers false when there is no such key or it was revoked before. */
export async function revokeKey(storage: Storage, keyId: string): Promise<boolean> {
  return storage.write((db) => setRevoked(db, keyId, timestamp(Date.now())));
}

/** Removes the keys of all stores that have expired. Answers how many there were. */
export async function deleteExpiredKeys(storage: Storage): Promise<number> {
  return storage.write((db) => deleteKeysExpiredBefore(db, timestamp(Date.now())));
}
