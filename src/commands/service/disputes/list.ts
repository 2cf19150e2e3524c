import { listAllDisputes } from '../../../service/index.ts';
import { ago, listCommand } from '../operator/list-command.ts';

export const command = listCommand({
  words: 'disputes list',
  description: 'List the disputes, newest first.',
  list: listAllDisputes,
  columns: {
    id: ({ id }) => id,
    store: ({ storeId }) => storeId,
    kind: ({ kind }) => kind,
    status: ({ status }) => status,
    deadline: ({ deadlineAt }) => ago(deadlineAt),
    reason: ({ reason }) => reason,
  },
  empty: 'No disputes.',
});
