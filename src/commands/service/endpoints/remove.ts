import { line } from '../../../cli/core/sanitize.ts';
import { removeEndpoint } from '../../../service/index.ts';
import { endCommand } from '../operator/end-command.ts';

export const command = endCommand({
  words: 'endpoints remove',
  description: `Remove an endpoint with its unsent messages, and erase its secret URL: a restore of a backup shows the endpoint
again, but nothing can be sent to it.`,
  noun: 'endpoint',
  done: 'Removed endpoint',
  loss: line`Its unsent messages go, and its secret URL is going to be erased: no restore brings it back.`,
  run: removeEndpoint,
});
