import { optionValue } from '../../cli/command.ts';
import { confirmById } from '../../cli/confirm.ts';
import { describeDispute } from '../../cli/dispute-view.ts';
import { CliError } from '../../cli/errors.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { operationCommand, type Run } from '../../cli/operation-command.ts';
import { isObject } from '../../cli/output.ts';
import { getPath } from '../../cli/paths.ts';
import { type Performed, perform } from '../../cli/perform.ts';
import { printable } from '../../cli/sanitize.ts';
import { decideDispute, showDispute } from '../../contract/disputes.ts';

const expectStatus = '--expect-status';

export const command = operationCommand({
  operation: decideDispute,
  description: `Record the decision of a dispute. It is final, and moves no money. The dispute is read and shown with its
evidence first. One that is decided so already is left alone, one that is decided otherwise is refused.`,
  options: [
    {
      flag: expectStatus,
      value: 'STATUS',
      description: 'Decide only from this status (default open)',
      group: 'Safety:',
    },
  ],
  examples: [
    'disputes decide 5f0c… --status won --resolution "Tracking shows delivery on 3 May"',
    'disputes decide 5f0c… --status lost --resolution-file why.txt --confirm 5f0c…',
  ],
  hints: { fileFlags: { resolution: 'resolution-file' } },
  confirm: 'disputeId',
  perform: lookAndDecide,
});

async function lookAndDecide(run: Run): Promise<Performed> {
  const { context, parameters, body, parsed } = run;
  const { disputeId = '' } = parameters;
  const { answer } = await perform({ ...run, operation: showDispute, body: null });
  context.notice(`${describeDispute(answer, { ...context, out: context.err })}\n`);
  const record = getPath(answer, ['record']);
  const status = getPath(record, ['status']);
  const expected = optionValue(parsed, expectStatus) ?? 'open';
  if (status !== expected) {
    if (status === body?.status && getPath(record, ['resolution']) === body?.resolution) {
      context.notice('It is decided so already: nothing was sent.');
      const unchanged = { ...(isObject(record) ? record : {}), changed: false };
      return { answer: unchanged, text: JSON.stringify(unchanged), etag: null, record: null };
    }
    throw new CliError({
      code: 'unexpected_status',
      exitCode: exitCodes.conflict,
      message: `the dispute is ${printable(String(status))} and not ${expected}: nothing was sent`,
      hint: `it stays as shown above; ${expectStatus} decides from another status`,
      outcome: 'not_sent',
      fields: [{ field: 'status', flag: expectStatus, detail: printable(String(status)) }],
    });
  }
  await confirmById(run, disputeId, `Decide this dispute as ${String(body?.status)}? It is final.`);
  return perform(run);
}
