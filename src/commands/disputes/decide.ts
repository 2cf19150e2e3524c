import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { usageError } from '../../cli/core/errors.ts';
import type { OptionSpec } from '../../cli/core/option-spec.ts';
import { argumentValue, optionValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import type { OperationInput } from '../../cli/operation/call/operation-input.ts';
import { describeOperation, toolOf } from '../../cli/operation/call/operation-options.ts';
import { ChoseAll } from '../../cli/operation/questions/chose-all.ts';
import { outputFileOption } from '../../cli/output/output-file.ts';
import { decideDispute } from '../../contract/operations/disputes.ts';
import { columnFlag } from './bulk/columns.ts';
import { decideOne } from './dispute/decide-one.ts';
import { expectStatus } from './dispute/dispute-status.ts';

const from = '--from';

/** Why all of them were decided so, which exports of payment providers do not say. */
const ofAll = ['--resolution', '--resolution-file'];

const input: OperationInput = {
  operation: decideDispute,
  extraResponseFields: ['changed'],
  arguments: [
    {
      name: 'disputeId',
      description: `ID of the dispute, or several; not with ${from}`,
      variadic: true,
      optional: true,
      complete: 'dispute',
    },
  ],
  options: [
    {
      flag: from,
      value: 'FILE',
      description: 'Decide many: CSV with disputeId (or providerCaseId, or orderId), status and resolution',
      group: 'Input:',
    },
    {
      flag: columnFlag,
      value: 'NAME=TITLE',
      description: 'A column that has another title: status=Outcome, status=#3',
      group: 'Input:',
    },
    {
      flag: expectStatus,
      value: 'STATUS',
      description: 'Decide only if the dispute has this status (default open)',
      complete: ['open', 'won', 'lost', 'withdrawn'],
      group: 'Safety:',
    },
  ],
  hints: { fileFlags: { resolution: 'resolution-file' } },
  confirm: 'disputeId',
};

/** What options mean for many disputes, too. */
const ofMany: Readonly<Record<string, Partial<OptionSpec>>> = {
  '--resolution': { description: `Reason for the decision; with ${from}, of the rows without one` },
  '--confirm': {
    value: 'ID|N',
    description: `Confirm without a prompt: the id, or with ${from} the number of disputes to decide`,
  },
  [outputFileOption.flag]: {
    description: 'Also write the results as JSON; rows that failed go to NAME.failed.csv',
  },
};

const described = describeOperation(input);

export const command: CommandDefinition = {
  ...described,
  options: described.options?.map((option) => ({ ...option, ...ofMany[option.flag] })) ?? [],
  tool: toolOf(input, 'A decision is final.'),
  description: `Show a dispute with its evidence and record the decision on it. It is final, and no money is moved. Without an
id, a terminal lists the open ones: choose one, or all, one by one. ${from} records the decisions in a file. Run the same
command again to continue: nothing is decided twice.`,
  details: `A dispute that already has this decision is left unchanged; one with another decision is refused. ${from} shows the
plan, and asks you to confirm the number of decisions. Rows that fail do not stop the others. A status that is almost won,
lost or withdrawn is refused as a typing error; others are sent. Exits with the most severe code of all rows (10 in doubt, 6
decided differently, 5 not found, 7 rejected, 2 invalid row), or with 130 if you cancel it.`,
  examples: [
    'disputes decide 5f0c… --status won --resolution "Delivered 3 May"',
    'disputes decide 5f0c… 81ab… 93d4…',
    `disputes decide --from export.csv ${columnFlag} providerCaseId="Case ID" --dry-run`,
    'disputes decide --from export.csv --resolution "Decided by the bank" --confirm 7',
  ],
  async run(call) {
    const { ui, session, parsed } = call;
    const file = optionValue(parsed, from);
    const ids = parsed.arguments.disputeId ?? [];
    if (file === undefined && parsed.options.has(columnFlag))
      throw usageError(`${columnFlag} names columns of a file`, `add ${from} FILE`);
    if (file === undefined && ids.length < 2) {
      const single = optionValue(parsed, '--from-file');
      if (ids.length === 0 && single !== undefined && /\.csv$/i.test(single))
        throw usageError(
          '--from-file holds the decision on one dispute',
          `for a list, use ${from} ${single}`,
        );
      const isWhole = ids.length > 0 || session.flags.dryRun || !ui.canAsk || isForOne(parsed);
      if (isWhole) return decideOne(call, input);
      return decideOne(call, input, { offersAll: true }).catch(async (error: unknown) => {
        if (!(error instanceof ChoseAll)) throw error;
        const { decideAll } = await import('./bulk/decide-by-hand.ts');
        return decideAll(call, error.objects);
      });
    }
    refuseSingleInput(parsed, file !== undefined);
    if (file === undefined) {
      const { decideByHand } = await import('./bulk/decide-by-hand.ts');
      return decideByHand(call, ids);
    }
    const { decideMany } = await import('./bulk/decide-many.ts');
    return decideMany(ui, session, parsed, file);
  },
};

/** Flags that say how one dispute is decided. */
const ofOne = ['--status', '--resolution', '--resolution-file', '--set', '--from-file'];

function isForOne({ options }: ParsedCommand): boolean {
  return [...ofOne, '--confirm'].some((flag) => options.has(flag));
}

/** Several disputes have different decisions, so flags that set one are refused. */
function refuseSingleInput(parsed: ParsedCommand, isFile: boolean): void {
  const single = ofOne.filter((flag) => parsed.options.has(flag) && !(isFile && ofAll.includes(flag)));
  if (isFile && argumentValue(parsed, 'disputeId') !== undefined) single.unshift('<disputeId>');
  if (!isFile && parsed.options.has('--confirm')) single.push('--confirm');
  if (single.length === 0) return;
  throw usageError(
    `${new Intl.ListFormat('en').format(single)} cannot be used with ${isFile ? from : 'several disputes'}`,
    isFile
      ? 'the file says which dispute is decided how'
      : `use ${from} for a CSV file of decisions, or a terminal, which asks for each`,
  );
}
