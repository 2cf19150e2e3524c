import { textAt } from '../../base/json.ts';
import { advancedGroup } from '../../cli/core/option-spec.ts';
import { operationCommand } from '../../cli/operation/operation-command.ts';
import { openDispute } from '../../contract/operations/disputes.ts';

export const command = operationCommand({
  operation: openDispute,
  description: 'Open a dispute record. It moves no money.',
  question: 'Open this dispute?',
  done: ({ response }) => ['Opened dispute', textAt(response, ['id'])].join(' ').trimEnd(),
  examples: [
    'disputes open --reason "Parcel never arrived" --order-id 0b8f…',
    'disputes open --kind payment --reason-file reason.txt --provider-case-id PP-D-4711',
    'disputes open --reason "Card reported stolen" --risk-signal avs=mismatch',
  ],
  options: [
    {
      flag: '--new',
      description: 'Start over instead of continuing an earlier attempt that is in doubt',
      group: advancedGroup,
    },
  ],
  hints: { fileFlags: { reason: 'reason-file' } },
  defaults: { kind: 'payment' },
});
