import { listAllDisputes } from '../../../service/index.ts';
import { listCommand } from '../operator/list-command.ts';

export const command = listCommand({
  words: 'disputes list',
  description: 'List the disputes, newest first.',
  list: listAllDisputes,
  columns: ['id', 'storeId', 'kind', 'status', 'deadlineAt', 'reason'],
});
