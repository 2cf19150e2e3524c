import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { inputNeeded } from '../../cli/command/input-needed.ts';
import { limitOption, printList, readLimit } from '../../cli/command/lists.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { CliError, usageError } from '../../cli/core/errors.ts';
import { argumentValue, choiceOf, isOn, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { noticeDone } from '../../cli/operation/run/print-result.ts';
import { formatDistance } from '../../cli/output/format-value.ts';
import { renderTable } from '../../cli/output/tables.ts';
import { chooseOrFail } from '../../cli/prompts/ask-or-fail.ts';
import { askFirst } from '../../cli/prompts/questions.ts';
import {
  deliveryStates,
  type ListedDelivery,
  listDeliveries,
  retryAllDead,
  retryDelivery,
  type Storage,
} from '../../service/index.ts';
import { databaseOption, withStorage } from './database-options.ts';

export const command: CommandDefinition = {
  description: `List the messages to the endpoints, newest first, or retry those that failed. A delivery is pending, held
(until the quiet hours of the store end), delivered, or dead (rejected for good, or not accepted for 72 hours). A retry also
re-enables an endpoint that was disabled because of the failure.`,
  arguments: [
    { name: 'action', description: 'list (default) or retry', optional: true, complete: ['list', 'retry'] },
    { name: 'id', description: 'ID of the dead delivery to retry', optional: true },
  ],
  options: [
    {
      flag: '--state',
      value: 'STATE',
      description: `Show only this state: ${deliveryStates.join(', ')}`,
      complete: deliveryStates,
    },
    limitOption,
    { flag: '--all-dead', description: 'Retry all dead deliveries (with --store: of that store)' },
    databaseOption,
  ],
  examples: [
    'service deliveries list --state dead',
    'service deliveries list --store 4be5… --json',
    'service deliveries retry 019a6f…',
    'service deliveries retry --all-dead',
  ],
  async run(context, parsed) {
    const action = argumentValue(parsed, 'action') ?? 'list';
    if (action === 'list') await list(context, parsed);
    else if (action === 'retry') await retry(context, parsed);
    else throw usageError(`unknown action "${action}"`, 'use list or retry');
  },
};

async function list(context: Context, parsed: ParsedCommand): Promise<void> {
  if (argumentValue(parsed, 'id') !== undefined || isOn(parsed, '--all-dead')) {
    throw usageError('an id and --all-dead can only be used with retry', 'use --state and --store to filter');
  }
  const state = choiceOf(parsed, '--state', deliveryStates);
  const limit = readLimit(parsed);
  const deliveries = await withStorage(context, parsed, (storage) =>
    listDeliveries(storage, { storeId: context.flags.store, state, limit }),
  );
  const header = ['id', 'event', 'endpoint', 'state', 'attempts', 'next/last', 'error'];
  const rows = deliveries.map((delivery) => describeRow(delivery, context.now()));
  printList(context, deliveries, {
    empty: `No ${state === undefined && context.flags.store === undefined ? 'deliveries yet' : 'matching deliveries'}.`,
    show: () => context.print(renderTable(header, rows, context.out)),
  });
}

async function retry(context: Context, parsed: ParsedCommand): Promise<void> {
  const given = argumentValue(parsed, 'id');
  if (given !== undefined && isOn(parsed, '--all-dead'))
    throw usageError('an id and --all-dead cannot be used together');
  const id = given ?? (isOn(parsed, '--all-dead') ? undefined : await chooseDead(context, parsed));
  const hint = 'run `storectl service deliveries list --state dead` to see those that can be retried';
  const retryIn = async (storage: Storage) => {
    if (id === undefined) return retryAllDead(storage, context.flags.store);
    await retryDelivery(storage, id, context.flags.store);
    return 1;
  };
  const retried = await withStorage(context, parsed, retryIn, { hint });
  if (context.flags.json) printJson(context, { retried });
  else if (context.flags.quiet) context.print(String(retried));
  else if (retried === 0) context.notice('No dead deliveries to retry.');
  else noticeDone(context, `Queued ${retried === 1 ? '1 delivery' : `${retried} deliveries`} for retry`);
}

/** Undefined if all of them. */
async function chooseDead(context: Context, parsed: ParsedCommand): Promise<string | undefined> {
  const missing = { field: 'id', give: '<id>', description: 'ID of the dead delivery to retry' };
  if (!context.canPrompt) {
    throw new CliError({
      ...inputNeeded([missing]).details,
      message: '<id> or --all-dead is required',
      hint: 'run `storectl service deliveries list --state dead` to see the ids',
    });
  }
  const dead = await withStorage(context, parsed, (storage) =>
    listDeliveries(storage, { storeId: context.flags.store, state: 'dead', limit: 50 }),
  );
  if (dead.length === 0) return undefined;
  const all = '';
  const choices = dead.map((delivery) => ({
    value: delivery.id,
    name: describeChoice(delivery, context.now()),
    short: delivery.id,
  }));
  const question = 'Which delivery do you want to retry?';
  const ways = choices.length === 1 ? [] : [{ value: all, name: `All (${dead.length} deliveries)` }];
  const chosen = await askFirst(() => chooseOrFail(context, missing, question, [...ways, ...choices]));
  return chosen === all ? undefined : chosen;
}

function describeChoice(delivery: ListedDelivery, now: number): string {
  const [id = '', event = '', endpoint = '', state = '', attempts = '', ...others] = describeRow(
    delivery,
    now,
  );
  const count = `${attempts} ${attempts === '1' ? 'attempt' : 'attempts'}`;
  return `${id}  ${[event, endpoint, state, count, ...others].join(', ')}`;
}

function describeRow(delivery: ListedDelivery, now: number): string[] {
  const { id, event, endpoint, url, state, attempts, nextAttemptAt, settledAt, createdAt, lastError } =
    delivery;
  const isFuture = nextAttemptAt !== null && Date.parse(nextAttemptAt) > now;
  const shown = isFuture ? nextAttemptAt : (settledAt ?? createdAt);
  return [
    id,
    printable(event),
    printable(`${endpoint} (${url})`),
    state,
    String(attempts),
    formatDistance(Date.parse(shown) - now),
    printable(lastError ?? '-'),
  ];
}
