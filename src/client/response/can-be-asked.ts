import { isObject } from '../../base/json.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Outcome } from '../outcome/outcome.ts';

/**
 * Statuses of a service that does not have a read beyond the contract. Gateways answer unknown paths with 401 and 403, too, but
 * a 401 is about the key.
 */
const withoutRead: ReadonlySet<number> = new Set([400, 403, 404, 405, 410, 422, 501]);

/**
 * Whether this is the response of a service that has this read, an error included (docs/contract.md, section 10). `Service-Features`
 * says so; without that header, which a gateway may strip, it is what the response looks like.
 */
export function canBeAsked(operation: Operation, outcome: Outcome): boolean {
  if (outcome.features.includes('reads')) return true;
  switch (outcome.kind) {
    case 'applied':
      return looksLike(operation, outcome.body);
    case 'rejected':
      // A 403 that says when to try again is a limit.
      return !withoutRead.has(outcome.status) || (outcome.status === 403 && outcome.retryAt !== null);
    case 'unknown':
      return !['unreadable_body', 'mismatched_response'].includes(outcome.failure.code);
    case 'not_sent':
      return true;
  }
}

/** An object with an id, or a page of such objects. */
function looksLike({ query }: Operation, body: unknown): boolean {
  const hasId = (value: unknown) => isObject(value) && typeof value.id === 'string';
  if (query === undefined) return hasId(body);
  return isObject(body) && Array.isArray(body.items) && body.items.every(hasId);
}
