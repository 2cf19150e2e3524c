import { choiceOf } from '../../../cli/core/parsed-command.ts';
import { deliveryStates, listDeliveries } from '../../../service/index.ts';
import { listCommand } from '../operator/operator-command.ts';
import { attemptOf } from './delivery-texts.ts';

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
  list: ({ open, parsed }, page) => {
    const state = choiceOf(parsed, '--state', deliveryStates);
    return open((storage) => listDeliveries(storage, { ...page, state }));
  },
  columns: {
    id: ({ id }) => id,
    event: ({ event }) => event,
    endpoint: ({ endpoint, url }) => `${endpoint} (${url})`,
    state: ({ state }) => state,
    attempts: ({ attempts }) => String(attempts),
    'next/last': (delivery, ago) => ago(attemptOf(delivery)),
    error: ({ lastError }) => lastError ?? '-',
  },
  empty: ({ parsed, storeId }) =>
    `No ${storeId === undefined && !parsed.options.has('--state') ? 'deliveries yet' : 'matching deliveries'}.`,
});
