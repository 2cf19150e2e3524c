import { inputNeeded } from '../../cli/command/input-needed.ts';
import { printJson } from '../../cli/command/print-json.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { usageError } from '../../cli/core/errors.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import { renderRecord } from '../../cli/output/tables.ts';
import { chooseOrFail } from '../../cli/prompts/ask-or-fail.ts';
import { askFromStart } from '../../cli/prompts/questions.ts';
import { emitEvent, type RaisedEvent, raisedEvents } from '../../service/index.ts';
import { chooseStore } from './operator/ask.ts';
import { operatorCommand } from './operator/operator-command.ts';

export const command = operatorCommand({
  description: `Emit a ${raisedEvents.join(' or ')} event by hand. The store is notified, and the service sends a message to
the endpoints subscribed to it. This needs write access to the database, not a key.`,
  options: [
    {
      flag: '--event',
      value: 'NAME',
      description: `Event: ${raisedEvents.join(' or ')}`,
      complete: raisedEvents,
    },
    { flag: '--data', value: 'KEY=VALUE', description: 'Value for the message; can be repeated' },
  ],
  listedGlobals: ['--store'],
  examples: ['service emit --store 4be5… --event feedback_digest --data summary="14 new ratings"'],
  async run(operator) {
    const { ui, parsed, storeId: givenStore, open } = operator;
    const given = optionValue(parsed, '--event');
    if (!ui.canAsk) refuseMissing(givenStore, given);
    const values = parsed.options.get('--data');
    const data = readData(typeof values === 'object' ? values : []);
    let event: RaisedEvent = 'feedback_digest';
    let storeId = '';
    const askEvent = async () => {
      event = requireRaisedEvent(given ?? (await chooseEvent(ui)));
    };
    const askStore = async () => {
      storeId = await chooseStore(operator, storeDescription, 'Which store is the event for?');
    };
    await askFromStart(() => [askEvent, askStore]);
    const eventId = await open((storage) => emitEvent(storage, storeId, event, data));
    noticeDone(ui, `Emitted event ${event}`);
    if (ui.json) printJson(ui, { eventId });
    else ui.print(ui.quiet ? eventId : renderRecord([['Event ID', eventId]], ui.out));
  },
});

function refuseMissing(storeId: string | undefined, event: string | undefined): void {
  const missing = [
    ...(storeId === undefined ? [{ field: 'store', give: '--store ID', description: storeDescription }] : []),
    ...(event === undefined ? [missingEvent] : []),
  ];
  if (missing.length > 0) throw inputNeeded(missing);
}

const storeDescription = 'store of the event';

const missingEvent = { field: 'event', give: '--event NAME', description: raisedEvents.join(' or ') };

async function chooseEvent(ui: Ui): Promise<string> {
  const choices = raisedEvents.map((name) => ({ value: name, name }));
  return chooseOrFail(ui, missingEvent, 'Which event do you want to emit?', choices);
}

function requireRaisedEvent(name: string): RaisedEvent {
  if (isRaisedEvent(name)) return name;
  throw usageError(
    `cannot emit "${name}"`,
    `use ${raisedEvents.join(' or ')}; the service emits the others itself`,
  );
}

function isRaisedEvent(name: string): name is RaisedEvent {
  return raisedEvents.some((event) => event === name);
}

function readData(given: readonly string[]): Record<string, string> {
  const data: Record<string, string> = {};
  for (const pair of given) {
    const [, key, value] = /^(\w{1,64})=(.*)$/s.exec(pair) ?? [];
    if (key === undefined || value === undefined) {
      throw usageError(
        `--data must be KEY=VALUE (got "${pair}")`,
        'for example --data summary="14 new ratings"',
      );
    }
    if (Object.hasOwn(data, key)) throw usageError(`--data ${key} is given twice`, 'use each key once');
    Object.defineProperty(data, key, { value, enumerable: true });
  }
  return data;
}
