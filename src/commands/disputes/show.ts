import { rememberObjects } from '../../cli/command/known.ts';
import { getPath } from '../../cli/core/field-path.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { send } from '../../cli/operation/send/send-run.ts';
import { showDispute } from '../../contract/operations/disputes.ts';
import { describeDispute } from './case-file.ts';

export const command = operationCommand({
  operation: showDispute,
  description: `Show a dispute as a case file: status, deadlines and the time left, reason, risk signals, and the evidence,
oldest first.`,
  toolNote: 'Read it before you propose a decision.',
  examples: [
    'disputes show 5f0c…',
    'disputes show 5f0c… --json',
    'disputes show 5f0c… --fields record.status,evidence.label',
  ],
  preview: async (run) => ({
    async send() {
      const result = await send(run);
      await rememberObjects(run.session, 'dispute', [getPath(result.answer, ['record'])]);
      return result;
    },
  }),
  show: ({ answer }, { ui }) => describeDispute(answer, ui.out),
});
