import { choiceOf } from '../../../cli/core/parsed-command.ts';
import { deliveryStates, type ListedDelivery, listDeliveries } from '../../../service/index.ts';
import { ago, listCommand } from '../operator/list-command.ts';

export const command = listCommand({
  words: 'deliveries list',
  description: `List the messages to the endpoints, newest first. A delivery is pending, held (until the quiet hours of the
store end), delivered, or dead (rejected for good, or not accepted for 72 hours).`,
  options: [
    {
      flag: '--state',
      value: 'STATE',
      description: `Show only this state: ${deliveryStates.join(', ')}`,
      complete: deliveryStates,
    },
  ],
  examples: ['service deliveries list --state dead', 'service deliveries list --store 4be5… --json'],
  list: (storage, page, parsed) =>
    listDeliveries(storage, { ...page, state: choiceOf(parsed, '--state', deliveryStates) }),
  columns: {
    id: ({ id }) => id,
    event: ({ event }) => event,
    endpoint: ({ endpoint, url }) => `${endpoint} (${url})`,
    state: ({ state }) => state,
    attempts: ({ attempts }) => String(attempts),
    'next/last': (delivery) => ago(attemptOf(delivery)),
    error: ({ lastError }) => lastError ?? '-',
  },
  empty: 'No deliveries.',
});

/** When it will be tried next, else when it was settled or made. */
function attemptOf({ nextAttemptAt, settledAt, createdAt }: ListedDelivery): string {
  const isFuture = nextAttemptAt !== null && Date.parse(nextAttemptAt) > Date.now();
  return isFuture ? nextAttemptAt : (settledAt ?? createdAt);
}
