import { type CommandDefinition, optionValue } from '../../cli/command.ts';
import { inputNeeded } from '../../cli/context.ts';
import { usageError } from '../../cli/errors.ts';
import { renderJson } from '../../cli/output.ts';
import { createKey, type Preset, presets } from '../../service/index.ts';
import { databaseOption, withStorage } from './database-options.ts';

const group = 'Options:';

export const command: CommandDefinition = {
  description: `Create a key to one store. The key is printed on stdout, this once: the database holds its hash alone.`,
  options: [
    {
      flag: '--preset',
      value: 'NAME',
      description: 'Rights: owner (default), ci-backup or support',
      group,
      complete: Object.keys(presets),
    },
    { flag: '--label', value: 'TEXT', description: 'Name for people', group },
    { flag: '--expires-in-days', value: 'N', description: 'Days until it ends (default: never)', group },
    databaseOption,
  ],
  examples: [
    'service create-key --store 4be5… --preset ci-backup > key.txt',
    'auth login --base-url http://127.0.0.1:4010 --store 4be5… --with-key < key.txt',
  ],
  async run(context, parsed) {
    const storeId = context.flags.store;
    if (storeId === undefined) {
      throw inputNeeded([{ field: 'storeId', give: '--store ID', description: 'store that the key is for' }]);
    }
    const preset = optionValue(parsed, '--preset') ?? 'owner';
    if (!isPreset(preset)) {
      throw usageError(`there is no preset "${preset}"`, `there are: ${Object.keys(presets).join(', ')}`);
    }
    const label = optionValue(parsed, '--label');
    const days = optionValue(parsed, '--expires-in-days');
    if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days)) {
      throw usageError(`--expires-in-days takes a number of days, and "${days}" is none`, 'for example 90');
    }
    const created = await withStorage(context, parsed, (storage) =>
      createKey(storage, {
        storeId,
        preset,
        ...(label !== undefined && { label }),
        ...(days !== undefined && { expiresInSeconds: Number(days) * 86_400 }),
      }),
    );
    if (context.flags.json) context.print(renderJson(JSON.stringify(created), context.out));
    else {
      context.print(created.key);
      context.notice(`Key ${created.id} for store ${storeId}, ${preset}. It is not shown again.`);
    }
    return undefined;
  },
};

function isPreset(name: string): name is Preset {
  return Object.hasOwn(presets, name);
}
