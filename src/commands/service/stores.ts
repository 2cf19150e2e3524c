import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
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
    if (context.flags.quiet) for (const { id } of stores) context.print(id);
    else if (context.flags.json) printJson(context, stores);
    else if (stores.length === 0) context.notice('No stores. `storectl service create-store` creates one.');
    else {
      const rows = stores.map(({ id, name, slug, createdAt }) => [
        ...[id, printable(name), printable(slug)],
        formatDistance(Date.parse(createdAt) - context.now()),
      ]);
      context.print(renderTable(['id', 'name', 'slug', 'created'], rows, context.out));
    }
    return undefined;
  },
};
