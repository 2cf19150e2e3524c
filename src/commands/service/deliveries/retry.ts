import { printJson } from '../../../cli/command/print-json.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { argumentValue, isOn } from '../../../cli/core/parsed-command.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { noticeDone } from '../../../cli/operation/result/print-result.ts';
import type { Choice } from '../../../cli/prompts/prompts.ts';
import { type ListedDelivery, listDeliveries, retryAllDead, retryDelivery } from '../../../service/index.ts';
import { readInputs } from '../operator/inputs.ts';
import { ago } from '../operator/list-command.ts';
import { type Operator, operatorCommand } from '../operator/operator-command.ts';
import { attemptOf } from './list.ts';

const all = '';

export const command = operatorCommand({
  description: `Retry messages that failed permanently. A retry also re-enables an endpoint that was disabled because of the
failure.`,
  arguments: [{ name: 'id', description: 'ID of the dead delivery to retry', optional: true }],
  options: [{ flag: '--all-dead', description: 'Retry all dead deliveries (with --store: of that store)' }],
  examples: ['service deliveries retry 019a6f…', 'service deliveries retry --all-dead'],
  async run(operator) {
    const { ui, parsed, storeId, open, next } = operator;
    const isAll = isOn(parsed, '--all-dead');
    if (isAll && argumentValue(parsed, 'id') !== undefined)
      throw usageError('an id and --all-dead cannot be used together');
    const list = next('deliveries list --state dead');
    const input = {
      give: '<id> or --all-dead',
      description: `dead delivery to retry, from \`${list}\``,
      question: 'Which delivery do you want to retry?',
      choices: () => deadChoices(operator),
    };
    const id = isAll ? all : (await readInputs(operator, { id: input })).id;
    const retried = await open(
      (storage) =>
        id === all ? retryAllDead(storage, storeId) : retryDelivery(storage, id, storeId).then(() => 1),
      { hint: `run \`${list}\` to see those that can be retried` },
    );
    if (ui.json) printJson(ui, { retried });
    else if (ui.quiet) ui.print(String(retried));
    else if (retried === 0) ui.notice('No dead deliveries to retry.');
    else noticeDone(ui, `Queued ${counted(retried)} for retry`);
  },
});

/** Throws exit 2 if there are none. */
async function deadChoices({ storeId, open }: Operator): Promise<Choice[]> {
  const dead = await open((storage) => listDeliveries(storage, { storeId, state: 'dead', limit: 50 }));
  if (dead.length === 0) throw usageError('there are no dead deliveries to retry');
  const choices = dead.map((delivery) => ({
    value: delivery.id,
    name: describeChoice(delivery),
    short: delivery.id,
  }));
  return dead.length === 1 ? choices : [{ value: all, name: `All (${counted(dead.length)})` }, ...choices];
}

function describeChoice(delivery: ListedDelivery): string {
  const { id, event, endpoint, url, lastError } = delivery;
  const last = ago(attemptOf(delivery));
  return printable(`${id}  ${event}, ${endpoint} (${url}), ${last}, ${lastError ?? '-'}`);
}

function counted(count: number): string {
  return count === 1 ? '1 delivery' : `${count} deliveries`;
}
