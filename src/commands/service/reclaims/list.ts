import { listReclaimNotices } from '../../../service/index.ts';
import { operatorListCommand } from '../operator/list-command.ts';

export const command = operatorListCommand({
  words: 'reclaims list',
  description: 'List the reclaim notices with their appeals, newest first.',
  list: listReclaimNotices,
  columns: ['id', 'storeId', 'subdomain', 'status', 'createdAt', 'appealText'],
});
