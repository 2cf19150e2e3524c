import { listAllDisputes } from '../../../service/index.ts';
import { listCommand } from '../operator/operator-command.ts';

export const command = listCommand({
  words: 'disputes list',
  description: 'List the disputes, newest first.',
  examples: ['service disputes list', 'service disputes list --store 4be5… --json'],
  list: ({ open }, page) => open((storage) => listAllDisputes(storage, page)),
  columns: {
    id: ({ id }) => id,
    store: ({ storeId }) => storeId,
    kind: ({ kind }) => kind,
    status: ({ status }) => status,
    deadline: ({ deadlineAt }, ago) => ago(deadlineAt),
    reason: ({ reason }) => reason,
  },
  empty: () => 'No disputes.',
});
