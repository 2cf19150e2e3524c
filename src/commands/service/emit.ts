import { usageError } from '../../cli/core/errors.ts';
import { optionValues } from '../../cli/core/parsed-command.ts';
import { emitEvent, raisedEvents } from '../../service/index.ts';
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
  async run({ parsed, need, open, printChanged }) {
    const data = readData(optionValues(parsed, '--data'));
    const { '--event': event, '--store': store } = await need(['--event', '--store']);
    const known = raisedEvents.find((name) => name === event);
    if (known === undefined) {
      throw usageError(
        `cannot emit "${event}"`,
        `use ${raisedEvents.join(' or ')}; the service emits the others itself`,
      );
    }
    printChanged(`Emitted event ${event}`, await open((storage) => emitEvent(storage, store, known, data)));
  },
});

function readData(given: readonly string[]): Record<string, string> {
  const pairs = given.map((pair) => {
    const [, key, value] = /^(\w{1,64})=(.*)$/s.exec(pair) ?? [];
    if (key !== undefined && value !== undefined) return [key, value] as const;
    const example = 'for example --data summary="14 new ratings"';
    throw usageError(`--data must be KEY=VALUE (got "${pair}")`, example);
  });
  return Object.fromEntries(pairs);
}
