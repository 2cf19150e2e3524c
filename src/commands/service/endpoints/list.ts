import { listAllEndpoints } from '../../../service/index.ts';
import { ago, listCommand } from '../operator/list-command.ts';

export const command = listCommand({
  words: 'endpoints list',
  description:
    'List the endpoints that messages are sent to, newest first. The tokens in their URLs are masked.',
  list: listAllEndpoints,
  columns: {
    id: ({ id }) => id,
    store: ({ storeId }) => storeId,
    name: ({ name }) => name,
    url: ({ url }) => url,
    state: ({ enabled, disabledReason }) => (enabled ? 'enabled' : (disabledReason ?? 'disabled')),
    created: ({ createdAt }) => ago(createdAt),
  },
  empty: 'No endpoints.',
});
