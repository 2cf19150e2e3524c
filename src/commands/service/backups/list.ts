import { listAllBackups } from '../../../service/index.ts';
import { listCommand } from '../operator/operator-command.ts';

export const command = listCommand({
  words: 'backups list',
  description: 'List the backups that the stores have made, newest first.',
  examples: ['service backups list', 'service backups list --store 4be5… --json'],
  list: ({ open }, page) => open((storage) => listAllBackups(storage, page)),
  columns: {
    id: ({ id }) => id,
    store: ({ storeId }) => storeId,
    label: ({ label }) => label,
    created: ({ createdAt }, ago) => ago(createdAt),
  },
  empty: () => 'No backups.',
});
