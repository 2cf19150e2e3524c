import { randomBytes, randomUUID } from 'node:crypto';

/** What the header `Idempotency-Key` can carry: printable ASCII without blanks and quotes. */
export const headerKeyPattern = /^[\x21\x23-\x7e]{1,255}$/;

/** A key for the header `Idempotency-Key`. */
export const makeHeaderKey = (): string => randomUUID();

/** A key of 120 random bits, which says where it comes from. */
export function makeIdempotencyKey(): string {
  return `storectl-${randomBytes(15).toString('hex')}`;
}
