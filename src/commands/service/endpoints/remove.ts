import { removeEndpoint } from '../../../service/index.ts';
import { objectCommand } from '../operator/object-command.ts';

export const command = objectCommand({
  description: `Remove an endpoint with its unsent messages, and erase its secret URL: a restore of a backup shows the endpoint
again, but nothing can be sent to it.`,
  noun: 'endpoint',
  list: 'endpoints list',
  done: 'Removed endpoint',
  question: 'The secret URL of the endpoint is erased.',
  examples: ['service endpoints remove 019a…', 'service endpoints remove 019a… --confirm 019a…'],
  run: removeEndpoint,
});
