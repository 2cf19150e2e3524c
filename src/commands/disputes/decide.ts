import { operationCommand } from '../../cli/operation-command.ts';
import { decideDispute } from '../../contract/disputes.ts';

export const command = operationCommand({
  operation: decideDispute,
  description: 'Record the decision of a dispute. It is final, and moves no money.',
  examples: [
    'disputes decide 5f0c… --status won --resolution "Tracking shows delivery on 3 May"',
    'disputes decide 5f0c… --status lost --resolution-file why.txt',
  ],
  hints: { fileFlags: { resolution: 'resolution-file' } },
});
