import { choiceOf } from '../../../cli/core/parsed-command.ts';
import { deliveryStates, listDeliveries } from '../../../service/index.ts';
import { operatorListCommand } from '../operator/list-command.ts';

export const command = operatorListCommand({
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
  columns: ['id', 'event', 'endpoint', 'state', 'attempts', 'createdAt', 'nextAttemptAt', 'lastError'],
});
