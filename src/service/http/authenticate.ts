import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../base/sha256.ts';
import { keyIdOf } from '../../contract/api-key.ts';
import { ServiceError } from '../model/errors.ts';
import { timestamp } from '../model/time.ts';
import { createQueue } from '../storage/core/queue.ts';
import type { Storage } from '../storage/core/storage.ts';
import { type ApiKeyRecord, findApiKey, setLastUsed, stateOf } from '../storage/queries/api-keys.ts';
import { createRateLimiter } from './rate-limit.ts';
import { networkOf } from './request/client-address.ts';

interface Credentials {
  readonly authorization: string | undefined;
  readonly clientAddress: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Finds the key that a request was sent with. See {@link createAuthenticator}. */
export type Authenticate = (credentials: Credentials) => Promise<ApiKeyRecord>;

/** For each network. Anyone can compute the checksum of a key, so keys that do not exist can be made up by the thousand. */
const unknownKeys = { perSecond: 10, burst: 10 };

/** The last use of a key is known to the hour: a request rarely has to write it. */
const hourMs = 60 * 60_000;

/** For how long after its last use a key is looked up at once, whatever else comes from its network. */
const rememberMs = 60_000;

/** How long a key that was not used lately waits for others to be looked up. */
const maxWaitMs = 5_000;

/**
 * Accepts a key in an Authorization header only (contract section 5). Throws `missing_key` or `invalid_key`: a mistyped,
 * unknown, expired and revoked key get the same response. Throws `rate_limited` for a client that has sent too many of them.
 * `elapsed` is a clock that is never put back, in milliseconds.
 */
export function createAuthenticator(storage: Storage, elapsed: () => number): Authenticate {
  const unknown = createRateLimiter(unknownKeys);
  // Otherwise any number of lookups would begin before the first turns out to be of an unknown key.
  const ofNetwork = createQueue(unknownKeys.burst, maxWaitMs);
  /** Hashes of keys with the time in `elapsed`, the one that was accepted last at the end. */
  const acceptedAt = new Map<string, number>();
  /** Ids of keys whose use is being written. */
  const noting = new Set<string>();

  function remember(hash: string): void {
    const now = elapsed();
    acceptedAt.delete(hash);
    acceptedAt.set(hash, now);
    for (const [oldest, at] of acceptedAt) {
      if (now - at <= rememberMs) break;
      acceptedAt.delete(oldest);
    }
  }

  /** No request waits for it, and one that fails is made up for by the next. */
  function noteUse({ id, storeId, lastUsedAt }: ApiKeyRecord, now: number): void {
    const hour = timestamp(Math.floor(now / hourMs) * hourMs);
    if (noting.has(id) || lastUsedAt === hour) return;
    noting.add(id);
    storage
      .forStore(storeId)
      .write((db) => setLastUsed(db, { id, at: hour }))
      .catch(() => {})
      .finally(() => noting.delete(id));
  }

  return async ({ authorization, clientAddress, now }) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      throw unauthorized('missing_key', 'Send "Authorization: Bearer <API key>"');
    }
    const id = keyIdOf(token);
    if (id === null) throw invalidKey();
    const hash = sha256(token);
    const network = networkOf(clientAddress);
    // Read for each request, so that a revoked key is never accepted.
    const find = async (): Promise<ApiKeyRecord | undefined> => {
      const key = await storage.read((db) => findApiKey(db, id));
      return isSameHash(hash, key?.sha256 ?? sha256('')) && key && stateOf(key, now) === 'active'
        ? key
        : undefined;
    };
    const isRemembered = elapsed() - (acceptedAt.get(hash) ?? Number.NEGATIVE_INFINITY) <= rememberMs;
    const key = await (isRemembered
      ? find()
      : ofNetwork(network, async () => {
          unknown.check(network, elapsed());
          const found = await find();
          if (found === undefined) unknown.take(network, elapsed());
          return found;
        }));
    if (key === undefined) {
      acceptedAt.delete(hash);
      throw invalidKey();
    }
    remember(hash);
    noteUse(key, now);
    return key;
  };
}

/** Throws `insufficient_scope` if the key lacks the scope. */
export function requireScope({ scopes }: ApiKeyRecord, scope: string): void {
  if (!scopes.includes(scope)) {
    throw new ServiceError('insufficient_scope', `The key needs the scope ${scope}`);
  }
}

function isSameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

function invalidKey(): ServiceError {
  return unauthorized('invalid_key', 'The API key is wrong, expired or revoked');
}

function unauthorized(code: 'missing_key' | 'invalid_key', detail: string): ServiceError {
  return new ServiceError(code, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
