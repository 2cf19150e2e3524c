import { operationCommand } from '../../cli/operation-command.ts';
import { appealReclaim } from '../../contract/reclaims.ts';

export const command = operationCommand({
  operation: appealReclaim,
  description: 'Appeal a notice that reclaims the subdomain of the store. A notice takes one appeal.',
  examples: [
    'reclaim appeal 5f0c… --text "The shop is open: last order yesterday"',
    'reclaim appeal 5f0c… --text-file appeal.txt',
  ],
  hints: { fileFlags: { text: 'text-file' } },
});
