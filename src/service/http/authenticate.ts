import { timingSafeEqual } from 'node:crypto';
import { keyIdOf } from '../../contract/api-key.ts';
import { sha256 } from '../model/canonical-json.ts';
import { ServiceError } from '../model/errors.ts';
import type { Scope } from '../model/scopes.ts';
import type { Storage } from '../storage/core/storage.ts';
import { type ApiKeyRecord, findApiKey, stateOf } from '../storage/queries/api-keys.ts';
import { createMemory } from './versioned-cache.ts';

/** Who asks. */
export interface Principal {
  readonly keyId: string;
  readonly storeId: string;
  readonly scopes: readonly string[];
}

/** See {@link createAuthenticator}. `now` is in epoch milliseconds. */
export type Authenticate = (authorization: string | undefined, now: number) => Promise<Principal>;

/**
 * Takes the key in an Authorization header (section 5), and none from elsewhere. Throws `missing_key` or
 * `invalid_key`; a mistyped, unknown, expired and revoked key are refused alike.
 */
export function createAuthenticator(storage: Storage): Authenticate {
  const findKey = createKeyFinder(storage);
  return async (authorization, now) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      throw unauthorized('missing_key', 'Send "Authorization: Bearer <API key>".');
    }
    const key = await findKey(token);
    if (key === undefined || stateOf(key, now) !== 'active') {
      throw unauthorized('invalid_key', 'The API key is wrong, expired or revoked.');
    }
    return { keyId: key.id, storeId: key.storeId, scopes: key.scopes };
  };
}

/**
 * Finds what is stored of a key. It is read once for each state of the table of keys, so that one that was revoked, by
 * whichever process, is never taken for what it was before.
 */
function createKeyFinder(storage: Storage): (token: string) => Promise<ApiKeyRecord | undefined> {
  // Memory holds no keys. Wrong ones, however many, are found out without asking the database for each.
  const byId = createMemory<ApiKeyRecord | undefined>();
  return async (token) => {
    const id = keyIdOf(token);
    if (id === null) return undefined;
    const version = await storage.version('api_keys');
    const key = await byId.recall(version, id, () => storage.read((db) => findApiKey(db, id)));
    return isSameHash(sha256(token), key?.sha256 ?? sha256('')) ? key : undefined;
  };
}

/** Throws `insufficient_scope` when the key lacks the scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (!principal.scopes.includes(scope)) {
    throw new ServiceError('insufficient_scope', `This needs a key with the scope ${scope}.`);
  }
}

function isSameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

function unauthorized(code: 'missing_key' | 'invalid_key', detail: string): ServiceError {
  return new ServiceError(code, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
