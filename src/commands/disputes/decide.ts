import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { usageError } from '../../cli/core/errors.ts';
import { argumentValue, optionValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { confirmById } from '../../cli/operation/run/confirm.ts';
import type { Performed, Run } from '../../cli/operation/run/run.ts';
import { perform } from '../../cli/operation/run/send.ts';
import { decideDispute } from '../../contract/operations/disputes.ts';
import { describeDispute } from './case-file.ts';
import {
  type CurrentDispute,
  expectStatus,
  judgeDispute,
  readDispute,
  unexpectedStatus,
  unusualStatus,
} from './dispute-status.ts';

const from = '--from';
const receipt = '--receipt';

const one = operationCommand({
  operation: decideDispute,
  description: `Record the decision of a dispute. It is final, and moves no money. The dispute is read and shown with its
evidence first. One that is decided so already is left alone, one that is decided otherwise is refused. With ${from}, the
decisions of a file are planned, shown, confirmed once by their number, and recorded one by one with a receipt; the same
command again goes on where it stopped. Exit code then: that of the gravest row (10 unknown, 6 decided otherwise, 5 not
found, 7 refused, 2 invalid row).`,
  arguments: [{ name: 'disputeId', description: `Id as the service shows it; not with ${from}` }],
  options: [
    {
      flag: from,
      value: 'FILE',
      description:
        'Record many: CSV with the columns disputeId,status,resolution, or JSON lines; - reads stdin',
      group: 'Input:',
    },
    {
      flag: receipt,
      value: 'FILE',
      description: `Receipt of ${from} (default FILE.receipt.jsonl), which a later run goes on from`,
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
  introduce: look,
  perform: lookAndDecide,
});

export const command: CommandDefinition = {
  ...one,
  options:
    one.options?.map((option) =>
      option.flag === '--confirm'
        ? {
            ...option,
            value: 'ID|N',
            description: `Go ahead without asking: the same id again, or with ${from} the number`,
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

/** Whoever is asked how to decide has seen the dispute, and is not asked in vain. */
async function look(run: Run): Promise<void> {
  const dispute = await readDispute(run);
  show(run, dispute);
  const expected = expectedStatus(run);
  if (dispute.record.status !== expected) throw unexpectedStatus(dispute, expected);
}

function show({ ui: { context } }: Run, { answer }: CurrentDispute): void {
  context.notice(`${describeDispute(answer, { ...context, out: context.err })}\n`);
}

function expectedStatus({ ui }: Run): string {
  return optionValue(ui.parsed, expectStatus) ?? 'open';
}

async function lookAndDecide(run: Run): Promise<Performed> {
  const { context, interview } = run.ui;
  const { parameters, body } = run.request;
  const { disputeId = '' } = parameters;
  // Read again in any case: the answers took time.
  const dispute = await readDispute(run);
  if (interview === null) show(run, dispute);
  const expected = expectedStatus(run);
  const verdict = judgeDispute(dispute, { status: body?.status, resolution: body?.resolution }, expected);
  if (verdict === 'already') {
    context.notice('It is decided so already: nothing was sent.');
    const unchanged = { ...dispute.record, changed: false };
    return { answer: unchanged, text: JSON.stringify(unchanged), etag: null, record: null };
  }
  if (verdict === 'otherwise') throw unexpectedStatus(dispute, expected);
  const doubt = unusualStatus(String(body?.status));
  if (doubt !== null) context.notice(context.err.color.yellow(`Warning: ${printable(doubt)}`));
  await confirmById(run, disputeId, `Decide this dispute as ${String(body?.status)}? It is final.`);
  return perform(run);
}

/** The file says what is decided and how, so nothing else may. */
function refuseSingleInput(parsed: ParsedCommand): void {
  const single = ['--status', '--resolution', '--resolution-file', '--set', '--from-file'].filter((flag) =>
    parsed.options.has(flag),
  );
  if (argumentValue(parsed, 'disputeId') !== undefined) single.unshift('<disputeId>');
  if (single.length === 0) return;
  throw usageError(
    `${from} and ${single.join(', ')} exclude each other`,
    'the file holds them for each dispute',
  );
}
