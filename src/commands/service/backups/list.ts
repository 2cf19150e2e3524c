import { listAllBackups } from '../../../service/index.ts';
import { ago, listCommand } from '../operator/list-command.ts';

export const command = listCommand({
  words: 'backups list',
  description: 'List the backups that the stores have made, newest first.',
  list: listAllBackups,
  columns: {
    id: ({ id }) => id,
    store: ({ storeId }) => storeId,
    label: ({ label }) => label,
    created: ({ createdAt }) => ago(createdAt),
  },
  empty: 'No backups.',
});
