import { type ListedKey, listKeys, presets } from '../../../service/index.ts';
import { storeInput } from '../operator/inputs.ts';
import { ago, listCommand } from '../operator/list-command.ts';

export const command = listCommand({
  words: 'keys list',
  description:
    'List the keys of a store, newest first, with their scopes and last use. The keys themselves are never shown.',
  examples: ['service keys list --store 4be5…', 'service keys list --store 4be5… --json'],
  store: storeInput('store whose keys to list'),
  list: (storage, { storeId = '', limit }) => listKeys(storage, storeId, limit),
  columns: {
    id: ({ id }) => id,
    label: ({ label }) => label || '-',
    scopes: describeScopes,
    state: ({ state }) => state,
    created: ({ createdAt }) => ago(createdAt),
    expires: ({ expiresAt }) => (expiresAt === null ? 'never' : ago(expiresAt)),
    'last used': ({ lastUsedAt }) => (lastUsedAt === null ? '-' : ago(lastUsedAt)),
  },
  empty: 'The store has no keys.',
});

function describeScopes({ scopes }: ListedKey): string {
  const isSame = (preset: readonly string[]) =>
    preset.length === scopes.length && preset.every((scope) => scopes.includes(scope));
  const preset = Object.entries(presets).find(([, granted]) => isSame(granted));
  return preset?.[0] ?? (scopes.join(', ') || 'none');
}
