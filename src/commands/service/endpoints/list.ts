import { listAllEndpoints } from '../../../service/index.ts';
import { operatorListCommand } from '../operator/list-command.ts';

export const command = operatorListCommand({
  words: 'endpoints list',
  description:
    'List the endpoints that messages are sent to, newest first. The tokens in their URLs are masked.',
  list: listAllEndpoints,
  columns: ['id', 'storeId', 'name', 'url', 'enabled', 'disabledReason', 'createdAt'],
});
