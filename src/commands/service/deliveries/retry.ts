import { inputNeeded } from '../../../cli/command/input-needed.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import { CliError, usageError } from '../../../cli/core/errors.ts';
import { argumentValue, isOn } from '../../../cli/core/parsed-command.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { noticeDone } from '../../../cli/operation/result/print-result.ts';
import { formatDistance } from '../../../cli/output/format-value.ts';
import { chooseOrFail } from '../../../cli/prompts/ask-or-fail.ts';
import { askFirst } from '../../../cli/prompts/questions.ts';
import { type ListedDelivery, listDeliveries, retryAllDead, retryDelivery } from '../../../service/index.ts';
import { type Operator, operatorCommand } from '../operator/operator-command.ts';
import { attemptOf } from './delivery-texts.ts';

export const command = operatorCommand({
  description: `Retry messages that failed permanently. A retry also re-enables an endpoint that was disabled because of the
failure.`,
  arguments: [{ name: 'id', description: 'ID of the dead delivery to retry', optional: true }],
  options: [{ flag: '--all-dead', description: 'Retry all dead deliveries (with --store: of that store)' }],
  examples: ['service deliveries retry 019a6f…', 'service deliveries retry --all-dead'],
  async run(operator) {
    const { ui, parsed, storeId, open, next } = operator;
    const given = argumentValue(parsed, 'id');
    if (given !== undefined && isOn(parsed, '--all-dead'))
      throw usageError('an id and --all-dead cannot be used together');
    const id = given ?? (isOn(parsed, '--all-dead') ? undefined : await chooseDead(operator));
    const hint = `run \`${next('deliveries list --state dead')}\` to see those that can be retried`;
    const retried = await open(
      (storage) =>
        id === undefined ? retryAllDead(storage, storeId) : retryDelivery(storage, id, storeId).then(() => 1),
      { hint },
    );
    if (ui.json) printJson(ui, { retried });
    else if (ui.quiet) ui.print(String(retried));
    else if (retried === 0) ui.notice('No dead deliveries to retry.');
    else noticeDone(ui, `Queued ${retried === 1 ? '1 delivery' : `${retried} deliveries`} for retry`);
  },
});

/** Undefined if all of them. */
async function chooseDead({ ui, storeId, open, next }: Operator): Promise<string | undefined> {
  const missing = { field: 'id', give: '<id>', description: 'ID of the dead delivery to retry' };
  if (!ui.canAsk) {
    throw new CliError({
      ...inputNeeded([missing]).failure,
      what: '<id> or --all-dead is required',
      next: [{ say: `run \`${next('deliveries list --state dead')}\` to see the ids` }],
    });
  }
  const dead = await open((storage) => listDeliveries(storage, { storeId, state: 'dead', limit: 50 }));
  if (dead.length === 0) return undefined;
  const choices = dead.map((delivery) => ({
    value: delivery.id,
    name: describeChoice(delivery, Date.now()),
    short: delivery.id,
  }));
  const all = '';
  const ways = choices.length === 1 ? [] : [{ value: all, name: `All (${dead.length} deliveries)` }];
  const question = 'Which delivery do you want to retry?';
  const chosen = await askFirst(() => chooseOrFail(ui, missing, question, [...ways, ...choices]));
  return chosen === all ? undefined : chosen;
}

function describeChoice(delivery: ListedDelivery, now: number): string {
  const { id, event, endpoint, url, state, attempts, lastError } = delivery;
  const count = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const last = formatDistance(Date.parse(attemptOf(delivery)) - now);
  return printable(
    `${id}  ${[event, `${endpoint} (${url})`, state, count, last, lastError ?? '-'].join(', ')}`,
  );
}
