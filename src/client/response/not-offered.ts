import type { Outcome } from '../outcome.ts';

/** How services and gateways refuse what they do not know. */
const unknownHere: readonly number[] = [400, 403, 404, 405, 410, 422, 501];

/**
 * Whether a response to a read that is an addition to the contract says that this service does not have it (docs/contract.md,
 * section 10). With `Service-Features` a response is what it is, errors too.
 */
export function isNotOffered(outcome: Outcome): boolean {
  if (outcome.features.length > 0 || outcome.kind === 'not_sent') return false;
  // A success that is not the contract's, such as a page of HTML.
  if (outcome.kind === 'unknown' && outcome.failure.code === 'mismatched_response') return true;
  if (outcome.kind === 'unknown' && outcome.failure.code === 'unreadable_body') return true;
  if (outcome.kind === 'applied') return false;
  return outcome.status !== null && outcome.retryAt === null && unknownHere.includes(outcome.status);
}
