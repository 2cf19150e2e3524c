import { valueAt } from '../../base/json.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { rememberObjects } from '../../cli/command/known.ts';
import { describeOperation, toolOf } from '../../cli/operation/call/operation-options.ts';
import { readInput } from '../../cli/operation/read-input.ts';
import { printDryRun, printResult } from '../../cli/operation/result/print-result.ts';
import { send } from '../../cli/operation/send/send.ts';
import { untilAccepted } from '../../cli/operation/until-accepted.ts';
import { showDispute } from '../../contract/operations/disputes.ts';
import { describeDispute } from './dispute/case-file.ts';

const input = { operation: showDispute };

export const command: CommandDefinition = {
  ...describeOperation(input),
  tool: toolOf(input, 'Read it before you propose a decision.'),
  description: `Show a dispute as a case file: status, deadlines and the time left, reason, risk signals, and the evidence,
oldest first.`,
  examples: [
    'disputes show 5f0c…',
    'disputes show 5f0c… --json',
    'disputes show 5f0c… --fields record.status,evidence.label',
  ],
  async run(call) {
    const run = await readInput(call, input);
    if (call.session.flags.dryRun) return printDryRun(run);
    const result = await untilAccepted(run, () => send(run));
    await rememberObjects(run.session, 'dispute', [valueAt(result.response, ['record'])]);
    return printResult(run, { show: ({ response }, { ui }) => describeDispute(response, ui.out) }, result);
  },
};
