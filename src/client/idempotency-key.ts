import { randomBytes } from 'node:crypto';

/** A key of 120 random bits, which says where it comes from. */
export function makeIdempotencyKey(): string {
  return `storectl-${randomBytes(15).toString('hex')}`;
}
