import { listReclaimNotices } from '../../../service/index.ts';
import { listCommand } from '../operator/operator-command.ts';

export const command = listCommand({
  words: 'reclaims list',
  description: 'List the reclaim notices with their appeals, newest first.',
  examples: ['service reclaims list', 'service reclaims list --store 4be5… --json'],
  list: ({ open }, page) => open((storage) => listReclaimNotices(storage, page)),
  columns: {
    id: ({ id }) => id,
    store: ({ storeId }) => storeId,
    subdomain: ({ subdomain }) => subdomain,
    status: ({ status }) => status,
    created: ({ createdAt }, ago) => ago(createdAt),
    appeal: ({ appealText }) => appealText ?? '-',
  },
  empty: () => 'No reclaim notices.',
});
