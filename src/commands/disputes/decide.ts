import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { usageError } from '../../cli/core/errors.ts';
import { argumentValue, optionValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { confirmById } from '../../cli/operation/run/confirm.ts';
import type { Performed, Run } from '../../cli/operation/run/run.ts';
import { perform, settleEarlierDecision } from '../../cli/operation/run/send.ts';
import { decideDispute } from '../../contract/operations/disputes.ts';
import { describeDispute } from './case-file.ts';
import {
  type CurrentDispute,
  compareDecision,
  expectStatus,
  readDispute,
  unexpectedStatus,
  unusualStatus,
} from './dispute-status.ts';

const from = '--from';
const receipt = '--receipt';

const one = operationCommand({
  operation: decideDispute,
  extraAnswerFields: ['changed'],
  description: `Record the decision of a dispute. It is final and moves no money. The dispute is shown with its evidence
first. A dispute that already has this decision is left unchanged; one with another decision is refused. ${from} records
the decisions in a file: it shows the plan, asks you to confirm the number of decisions, and writes a receipt. Run the same
command again to continue. The exit code is the most severe of all rows (10 unknown, 6 decided differently, 5 not found,
7 refused, 2 invalid row).`,
  arguments: [{ name: 'disputeId', description: `Id of the dispute; not with ${from}` }],
  options: [
    {
      flag: from,
      value: 'FILE',
      description:
        'Decide many: CSV with columns disputeId,status,resolution, or JSON lines; - for standard input',
      group: 'Input:',
    },
    {
      flag: receipt,
      value: 'FILE',
      description: `Receipt of ${from}, which the next run continues from (default FILE.receipt.jsonl)`,
      group: 'Input:',
    },
    {
      flag: expectStatus,
      value: 'STATUS',
      description: 'Decide only from this status (default open)',
      complete: ['open', 'won', 'lost', 'withdrawn'],
      group: 'Safety:',
    },
  ],
  examples: [
    'disputes decide 5f0c… --status won --resolution "Tracking shows delivery on 3 May"',
    'disputes decide 5f0c… --status lost --resolution-file why.txt --confirm 5f0c…',
    'disputes decide --from decisions.csv --dry-run',
    'disputes decide --from decisions.csv --confirm 195 --json',
  ],
  hints: { fileFlags: { resolution: 'resolution-file' } },
  confirm: 'disputeId',
  introduce: introduceDispute,
  perform: showAndDecide,
  done: (_, { request: { parameters, body } }) =>
    `Decided dispute ${parameters.disputeId} as ${String(body?.status)}`,
});

export const command: CommandDefinition = {
  ...one,
  options:
    one.options?.map((option) =>
      option.flag === '--confirm'
        ? {
            ...option,
            value: 'ID|N',
            description: `Confirm without a prompt: repeat the id, or with ${from} give the number of decisions`,
          }
        : option,
    ) ?? [],
  async run(context, parsed) {
    const file = optionValue(parsed, from);
    if (file === undefined) {
      if (optionValue(parsed, receipt) !== undefined) throw usageError(`${receipt} needs ${from}`);
      return one.run(context, parsed);
    }
    refuseSingleInput(parsed);
    const { decideMany } = await import('./bulk/decide-many.ts');
    return decideMany(context, parsed, file);
  },
};

/** Shows the dispute before the questions, and refuses one that cannot be decided. */
async function introduceDispute(run: Run): Promise<void> {
  await settleEarlierDecision(run);
  const dispute = await readDispute(run);
  showCaseFile(run, dispute);
  const expected = expectedStatus(run);
  if (dispute.record.status !== expected) throw unexpectedStatus(dispute, expected);
}

function showCaseFile({ ui: { context } }: Run, { answer }: CurrentDispute): void {
  context.notice(`${describeDispute(answer, { ...context, out: context.err })}\n`);
}

function expectedStatus({ ui }: Run): string {
  return optionValue(ui.parsed, expectStatus) ?? 'open';
}

async function showAndDecide(run: Run): Promise<Performed> {
  const { context, interview } = run.ui;
  const { parameters, body } = run.request;
  const { disputeId = '' } = parameters;
  await settleEarlierDecision(run);
  // The dispute may have changed while the user answered questions.
  const dispute = await readDispute(run);
  if (interview === null) showCaseFile(run, dispute);
  const expected = expectedStatus(run);
  const comparison = compareDecision(
    dispute,
    { status: body?.status, resolution: body?.resolution },
    expected,
  );
  if (comparison === 'same') {
    context.notice(`Already decided as ${printable(String(body?.status))}; nothing was sent.`);
    const unchanged = { ...dispute.record, changed: false };
    return { answer: unchanged, text: JSON.stringify(unchanged), etag: null, record: null };
  }
  if (comparison === 'conflict') throw unexpectedStatus(dispute, expected);
  const warning = unusualStatus(String(body?.status));
  if (warning !== null) context.notice(context.err.color.yellow(`Warning: ${printable(warning)}`));
  await confirmById(run, disputeId, `Decide this dispute as ${String(body?.status)}? It is final.`);
  return perform(run);
}

/** The file contains the decisions, so flags that set one are refused. */
function refuseSingleInput(parsed: ParsedCommand): void {
  const single = ['--status', '--resolution', '--resolution-file', '--set', '--from-file'].filter((flag) =>
    parsed.options.has(flag),
  );
  if (argumentValue(parsed, 'disputeId') !== undefined) single.unshift('<disputeId>');
  if (single.length === 0) return;
  throw usageError(
    `${from} cannot be used with ${single.join(', ')}`,
    'the file contains them for each dispute',
  );
}
