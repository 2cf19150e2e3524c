import { listAllDisputes } from '../../../service/index.ts';
import { operatorListCommand } from '../operator/list-command.ts';

export const command = operatorListCommand({
  words: 'disputes list',
  description: 'List the disputes, newest first.',
  list: listAllDisputes,
  columns: ['id', 'storeId', 'kind', 'status', 'deadlineAt', 'reason'],
});
