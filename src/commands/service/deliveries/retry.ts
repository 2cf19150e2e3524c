import { printJson } from '../../../cli/command/print-json.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { argumentValue, isOn } from '../../../cli/core/parsed-command.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { printSuccess } from '../../../cli/operation/result/print-result.ts';
import { askNeededOne } from '../../../cli/prompts/ask-or-fail.ts';
import { retryAllDead, retryDelivery } from '../../../service/index.ts';
import { asked } from '../operator/needed-values.ts';
import { type Operator, operatorCommand } from '../operator/operator-command.ts';

export const command = operatorCommand({
  description: `Retry messages that failed permanently. A retry also re-enables an endpoint that was disabled because of the
failure.`,
  arguments: [{ name: 'id', description: 'ID of the dead delivery to retry', optional: true }],
  options: [{ flag: '--all-dead', description: 'Retry all dead deliveries (with --store: of that store)' }],
  examples: ['service deliveries retry 019a6f…', 'service deliveries retry --all-dead'],
  async run(operator) {
    const { ui, parsed, storeId, open, next } = operator;
    const isAll = isOn(parsed, '--all-dead');
    const given = argumentValue(parsed, 'id');
    if (isAll && given !== undefined) throw usageError('an id and --all-dead cannot be used together');
    const list = next('deliveries list --state dead');
    const id = isAll ? undefined : (given ?? (await chooseDead(operator, list)));
    const retried = await open(
      (storage) =>
        id === undefined ? retryAllDead(storage, storeId) : retryDelivery(storage, id, storeId).then(() => 1),
      { hint: `run \`${list}\` to see those that can be retried` },
    );
    if (ui.json) printJson(ui, { retried });
    else if (ui.quiet) ui.print(line`${retried}`);
    else if (retried === 0) ui.notice('No dead deliveries to retry.');
    else printSuccess(ui, `Queued ${retried === 1 ? '1 delivery' : `${retried} deliveries`} for retry`);
  },
});

/** Undefined for all of them. `list` is the command that lists them. */
async function chooseDead({ ui, storeId, open }: Operator, list: string): Promise<string | undefined> {
  const all = { value: 'all', name: 'All dead deliveries' };
  const { question = '', list: dead } = asked.deadDelivery ?? {};
  const chosen = await askNeededOne(
    ui,
    {
      field: 'id',
      give: '<id> or --all-dead',
      description: `dead delivery to retry, from \`${list}\``,
      question,
      label: 'Delivery ID',
      choices: async () => [all, ...((await open(async (storage) => dead?.(storage, storeId))) ?? [])],
    },
    { first: 'flags' },
  );
  return chosen === all.value ? undefined : chosen;
}
