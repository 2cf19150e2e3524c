import type { ListedDelivery } from '../../../service/index.ts';

/** When it will be tried next, else when it was settled or made. */
export function attemptOf({ nextAttemptAt, settledAt, createdAt }: ListedDelivery): string {
  const isFuture = nextAttemptAt !== null && Date.parse(nextAttemptAt) > Date.now();
  return isFuture ? nextAttemptAt : (settledAt ?? createdAt);
}
