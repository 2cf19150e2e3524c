import { listAllBackups } from '../../../service/index.ts';
import { operatorListCommand } from '../operator/list-command.ts';

export const command = operatorListCommand({
  words: 'backups list',
  description: 'List the backups that the stores have made, newest first.',
  list: listAllBackups,
  columns: ['id', 'storeId', 'label', 'createdAt'],
});
