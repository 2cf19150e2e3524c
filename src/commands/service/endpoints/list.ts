import { listAllEndpoints } from '../../../service/index.ts';
import { listCommand } from '../operator/operator-command.ts';

export const command = listCommand({
  words: 'endpoints list',
  description:
    'List the endpoints that messages are sent to, newest first. The tokens in their URLs are masked.',
  examples: ['service endpoints list', 'service endpoints list --store 4be5… --json'],
  list: ({ open }, page) => open((storage) => listAllEndpoints(storage, page)),
  columns: {
    id: ({ id }) => id,
    store: ({ storeId }) => storeId,
    name: ({ name }) => name,
    url: ({ url }) => url,
    state: ({ enabled, disabledReason }) => (enabled ? 'enabled' : (disabledReason ?? 'disabled')),
    created: ({ createdAt }, ago) => ago(createdAt),
  },
  empty: () => 'No endpoints.',
});
