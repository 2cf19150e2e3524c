import { isObject } from '../../base/json.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Outcome } from '../outcome/outcome.ts';

/** The statuses of a service that does not have a read beyond the contract. 401 is not among them: it is about the API key. */
const withoutRead: ReadonlySet<number> = new Set([400, 403, 404, 405, 410, 422, 501]);

/**
 * Whether the outcome of a read is that of a service that has this read, errors included (docs/contract.md, section 10). The header
 * `Service-Features` says so. A gateway may remove that header; then the status and the shape of the response decide.
 */
export function canBeAsked(operation: Operation, outcome: Outcome): boolean {
  if (outcome.features.includes('reads')) return true;
  switch (outcome.kind) {
    case 'applied':
      return looksLike(operation, outcome.body);
    case 'rejected':
      // A 403 with `Retry-After` is a rate limit.
      return !withoutRead.has(outcome.status) || (outcome.status === 403 && outcome.retryAt !== null);
    case 'unknown':
      return !['unreadable_body', 'mismatched_response'].includes(outcome.failure.code);
    case 'not_sent':
      return true;
  }
}

/** Whether a body is an object with an id, or a page of such objects. */
function looksLike({ query }: Operation, body: unknown): boolean {
  const hasId = (value: unknown) => isObject(value) && typeof value.id === 'string';
  if (query === undefined) return hasId(body);
  return isObject(body) && Array.isArray(body.items) && body.items.every(hasId);
}
