import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { askFirst } from '../../cli/prompts/questions.ts';
import { createStore, type Storage } from '../../service/index.ts';
import { askOption } from './ask.ts';
import { databaseOption, withStorage } from './database-options.ts';
import { printAdded } from './print-added.ts';

const nameOption = {
  field: 'name',
  give: '--name TEXT',
  description: 'name of the store',
  question: 'Name',
};

export const command: CommandDefinition = {
  description:
    'Create a store in the database of the service. This needs write access to the database, not a key.',
  options: [
    { flag: '--name', value: 'TEXT', description: 'Name of the store' },
    { flag: '--slug', value: 'TEXT', description: 'URL slug (default: derived from the name)' },
    { flag: '--currency', value: 'CODE', description: 'Currency (default EUR)' },
    { flag: '--timezone', value: 'ZONE', description: 'Time zone (default UTC)' },
    databaseOption,
  ],
  examples: [
    'service create-store --name "My store"',
    'service create-store --name Outlet --currency USD -q',
  ],
  async run(context, parsed) {
    const name = await askFirst(() => askOption(context, optionValue(parsed, '--name'), nameOption));
    const slug = optionValue(parsed, '--slug');
    const currency = optionValue(parsed, '--currency');
    const timezone = optionValue(parsed, '--timezone');
    const create = (storage: Storage) => createStore(storage, { name, slug, currency, timezone });
    const store = await withStorage(context, parsed, create, {
      mayBeNew: true,
      hint: 'nothing was created; fix the value and run the command again',
      flags: { name: '--name', slug: '--slug', defaultCurrency: '--currency', timezone: '--timezone' },
    });
    printAdded(context, `Created store "${store.name}"`, store);
    if (context.flags.quiet || context.flags.json) return;
    context.noticeToCopy(`Next: storectl service create-key --store ${store.id} --preset owner`);
  },
};
