import { listReclaimNotices } from '../../../service/index.ts';
import { ago, listCommand } from '../operator/list-command.ts';

export const command = listCommand({
  words: 'reclaims list',
  description: 'List the reclaim notices with their appeals, newest first.',
  list: listReclaimNotices,
  columns: {
    id: ({ id }) => id,
    store: ({ storeId }) => storeId,
    subdomain: ({ subdomain }) => subdomain,
    status: ({ status }) => status,
    created: ({ createdAt }) => ago(createdAt),
    appeal: ({ appealText }) => appealText ?? '-',
  },
  empty: 'No reclaim notices.',
});
