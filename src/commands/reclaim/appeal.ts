import { toolOf } from '../../cli/operation/call/operation-options.ts';
import { type OperationCommand, operationCommand } from '../../cli/operation/operation-command.ts';
import { appealReclaim } from '../../contract/operations/reclaims.ts';

const resubmit = '--resubmit';

const appeal: OperationCommand = {
  operation: appealReclaim,
  description: `Appeal a subdomain reclaim notice of the store. A notice allows one appeal, and its text cannot be
changed later. A second appeal from this machine is refused unless ${resubmit} is given.`,
  options: [
    { flag: resubmit, description: 'Appeal even if this notice was appealed before', group: 'Safety:' },
  ],
  examples: [
    'reclaim appeal 5f0c… --text "The shop is open: last order yesterday" --confirm 5f0c…',
    'reclaim appeal 5f0c… --text-file appeal.txt',
  ],
  hints: { fileFlags: { text: 'text-file' } },
  confirm: 'reclaimId',
  question: 'Send this appeal? This is final.',
  done: (_, { request }) => `Appealed reclaim notice ${request.parameters.reclaimId}`,
  allowDuplicate: resubmit,
};

export const command = {
  ...operationCommand(appeal),
  tool: toolOf(appeal, 'A notice allows one appeal, and its text cannot be changed later.'),
};
