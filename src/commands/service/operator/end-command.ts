import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { usageError } from '../../../cli/core/errors.ts';
import type { Printable } from '../../../cli/core/sanitize.ts';
import { confirmOption, missingConfirmation } from '../../../cli/prompts/ask-or-fail.ts';
import { kindOfParameter } from '../../../contract/objects.ts';
import type { Storage } from '../../../service/index.ts';
import { confirmByTyping } from './confirm-by-typing.ts';
import { operatorCommand } from './operator-command.ts';

interface EndCommand {
  /** Its words after `service`. */
  readonly words: string;
  readonly description: string;
  /** Such as `backup`. */
  readonly noun: string;
  readonly done: string;
  /** What is lost with the object: said before it is confirmed. */
  readonly loss: Printable | ((storage: Storage, id: string) => Promise<Printable>);
  run(storage: Storage, id: string, storeId: string | undefined): Promise<{ readonly id: string }>;
}

/** A command that ends something for good, such as a backup, once its id has been repeated. */
export function endCommand({ words, description, noun, done, loss, run }: EndCommand): CommandDefinition {
  const name = `${noun}Id`;
  const list = `${words.split(' ')[0]} list`;
  return operatorCommand({
    description,
    arguments: [
      { name, description: `ID of the ${noun}, from \`service ${list}\``, complete: kindOfParameter(name) },
    ],
    options: [confirmOption(name.toUpperCase(), `id of the ${noun}`)],
    examples: [`service ${words} 019a…`, `service ${words} 019a… --confirm 019a…`],
    async run({ ui, parsed, storeId, need, open, next, printChanged }) {
      const { [name]: id = '' } = await need([name], [missingConfirmation(name.toUpperCase())]);
      const options = { hint: `run \`${next(list)}\` to see the ids` };
      // It must not be repeated in a question or an error.
      if (id.startsWith('sk_')) throw usageError(`this is a key, not the id of a ${noun}`, options.hint);
      ui.notice(typeof loss === 'string' ? loss : await open((storage) => loss(storage, id), options));
      await confirmByTyping(ui, parsed, id, 'Type its id to confirm');
      printChanged(`${done} ${id}`, await open((storage) => run(storage, id, storeId), options));
    },
  });
}
