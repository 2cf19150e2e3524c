import { randomBytes, randomUUID } from 'node:crypto';

/** A valid key for the header `Idempotency-Key`: printable ASCII without spaces and quotes. */
export const headerKeyPattern = /^[\x21\x23-\x7e]{1,255}$/;

/** A new key for the header `Idempotency-Key`. */
export const makeHeaderKey = (): string => randomUUID();

/** A new key for a body: 120 random bits, after the name of this program. */
export function makeIdempotencyKey(): string {
  return `storectl-${randomBytes(15).toString('hex')}`;
}

/** Whether a key is one of {@link makeIdempotencyKey}, and not one that a user has given. */
export const isMadeKey = (key: string): boolean => /^storectl-[\da-f]{30}$/.test(key);
