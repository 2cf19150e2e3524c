import { toolOf } from '../../cli/operation/call/operation-options.ts';
import { type OperationCommand, operationCommand } from '../../cli/operation/operation-command.ts';
import { addEndpoint } from '../../contract/operations/notifications.ts';

const allowDuplicate = '--allow-duplicate';

const addition: OperationCommand = {
  operation: addEndpoint,
  description: `Add an endpoint that notifications are sent to.
Adding the same endpoint again within 24 hours is an error unless ${allowDuplicate} is given.`,
  question: 'Add this endpoint?',
  done: (_, { request }) => `Added endpoint "${String(request.body?.name)}"`,
  options: [{ flag: allowDuplicate, description: 'Add it even if it was added before', group: 'Safety:' }],
  examples: [
    'notify add-endpoint --name Team --url https://discord.com/… --events feedback_digest',
    'notify add-endpoint --name Night --url https://… --events feedback_digest --no-enabled',
  ],
  defaults: { kind: 'discord' },
  allowDuplicate,
};

export const command = {
  ...operationCommand(addition),
  tool: toolOf(addition, 'The same endpoint within 24 hours is refused.'),
};
