import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../base/sha256.ts';
import { keyIdOf } from '../../contract/api-key.ts';
import type { Scope } from '../../contract/scopes.ts';
import { ServiceError } from '../model/errors.ts';
import type { Storage } from '../storage/core/storage.ts';
import { type ApiKeyRecord, findApiKey, stateOf } from '../storage/queries/api-keys.ts';
import { createVersionedCache } from './versioned-cache.ts';

/** Who sent a request. */
export interface Principal {
  readonly keyId: string;
  readonly storeId: string;
  readonly scopes: readonly string[];
}

interface Credentials {
  readonly authorization: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Of the storage, read since the request arrived. */
  readonly version: number | null;
}

/** See {@link createAuthenticator}. */
export type Authenticate = (credentials: Credentials) => Promise<Principal>;

/**
 * Accepts a key in an Authorization header only (contract section 5). Throws `missing_key` or `invalid_key`: a mistyped,
 * unknown, expired and revoked key get the same answer.
 */
export function createAuthenticator(storage: Storage): Authenticate {
  const findKey = createKeyFinder(storage);
  return async ({ authorization, now, version }) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      throw unauthorized('missing_key', 'Send "Authorization: Bearer <API key>".');
    }
    const key = await findKey(token, version);
    if (key === undefined || stateOf(key, now) !== 'active') {
      throw unauthorized('invalid_key', 'The API key is wrong, expired or revoked.');
    }
    return { keyId: key.id, storeId: key.storeId, scopes: key.scopes };
  };
}

/**
 * Finds the record of a key. It is read again after every commit of any process, so that a revoked key is never
 * accepted.
 */
function createKeyFinder(storage: Storage) {
  // By id: the cache holds no keys, and many wrong keys with one id cost one read.
  const byId = createVersionedCache<ApiKeyRecord | undefined>();
  return async (token: string, version: number | null): Promise<ApiKeyRecord | undefined> => {
    const id = keyIdOf(token);
    if (id === null) return undefined;
    const key = await byId.get(version, id, () => storage.read((db) => findApiKey(db, id)));
    return isSameHash(sha256(token), key?.sha256 ?? sha256('')) ? key : undefined;
  };
}

/** Throws `insufficient_scope` if the key lacks the scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (!principal.scopes.includes(scope)) {
    throw new ServiceError('insufficient_scope', `The key needs the scope ${scope}.`);
  }
}

function isSameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

function unauthorized(code: 'missing_key' | 'invalid_key', detail: string): ServiceError {
  return new ServiceError(code, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
