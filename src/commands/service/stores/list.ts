import { optionValue } from '../../../cli/core/parsed-command.ts';
import { listStores } from '../../../service/index.ts';
import { operatorListCommand } from '../operator/list-command.ts';

export const command = operatorListCommand({
  words: 'stores list',
  description: 'List the stores in the database of the service, by name.',
  options: [{ flag: '--after', value: 'ID', description: 'Begin after this store, to see the next page' }],
  list: (storage, page, parsed) => listStores(storage, { ...page, after: optionValue(parsed, '--after') }),
  columns: ['id', 'name', 'slug', 'createdAt'],
  start: 'stores create',
  more: ({ id }) => `--after ${id}`,
});
