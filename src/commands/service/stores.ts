import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printList } from '../../cli/command/lists.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { formatDistance } from '../../cli/output/format-value.ts';
import { renderTable } from '../../cli/output/tables.ts';
import { listStores } from '../../service/index.ts';
import { databaseOption, withStorage } from './database-options.ts';

export const command: CommandDefinition = {
  description: 'List the stores in the database of the service, by name.',
  options: [databaseOption],
  examples: ['service stores', 'service stores --json'],
  async run(context, parsed) {
    const stores = await withStorage(context, parsed, listStores);
    const rows = stores.map(({ id, name, slug, createdAt }) => {
      const age = formatDistance(Date.parse(createdAt) - context.now());
      return [id, printable(name), printable(slug), age];
    });
    printList(context, stores, {
      empty: 'No stores. Run `storectl service create-store` to create one.',
      show: () => context.print(renderTable(['id', 'name', 'slug', 'created'], rows, context.out)),
    });
  },
};
