import { operationCommand } from '../../cli/operation-command.ts';
import { addEndpoint } from '../../contract/notifications.ts';

export const command = operationCommand({
  operation: addEndpoint,
  description: 'Add an endpoint that notifications are sent to.',
  examples: [
    'notify add-endpoint --name Team --url https://discord.com/api/webhooks/1/x --events feedback_digest',
    'notify add-endpoint --name Night --url https://… --events feedback_digest --no-enabled',
  ],
  defaults: { kind: 'discord' },
});
