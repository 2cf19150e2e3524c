import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { argumentValue } from '../../../cli/core/parsed-command.ts';
import { argumentNeeded, confirmOption } from '../../../cli/prompts/confirm-or-fail.ts';
import type { Storage } from '../../../service/index.ts';
import { confirmId } from './ask.ts';
import { operatorCommand } from './operator-command.ts';

/** A command that ends one object of a store, such as a backup, once its id has been repeated. */
export function objectCommand({
  noun,
  list,
  done,
  question,
  run,
  ...texts
}: Pick<CommandDefinition, 'description' | 'examples'> & {
  /** Such as `backup`. */
  readonly noun: string;
  /** The command that shows the ids. */
  readonly list: string;
  readonly done: string;
  readonly question: string;
  run(storage: Storage, id: string, storeId: string | undefined): Promise<{ readonly id: string }>;
}): CommandDefinition {
  const name = `${noun}Id`;
  return operatorCommand({
    ...texts,
    arguments: [{ name, description: `ID of the ${noun}, from \`service ${list}\`` }],
    options: [confirmOption(name.toUpperCase(), `id of the ${noun}`)],
    async run({ ui, parsed, storeId, open, next, printChanged }) {
      const id = argumentValue(parsed, name);
      if (id === undefined) throw argumentNeeded(name, `${noun}, from \`${next(list)}\``);
      await confirmId(ui, parsed, id, `${question} Type its id to confirm`);
      const hint = `run \`${next(list)}\` to see the ids`;
      printChanged(`${done} ${id}`, await open((storage) => run(storage, id, storeId), { hint }));
    },
  });
}
