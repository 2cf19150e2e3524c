import { askFirst } from '../../../cli/prompts/questions.ts';
import { listKeys, presets } from '../../../service/index.ts';
import { chooseStore } from '../operator/ask.ts';
import { listCommand } from '../operator/operator-command.ts';

export const command = listCommand({
  words: 'keys list',
  description:
    'List the keys of a store, newest first, with their scopes and last use. The keys themselves are never shown.',
  examples: ['service keys list --store 4be5…', 'service keys list --store 4be5… --json'],
  async list(operator, { limit }) {
    const storeId = await askFirst(() =>
      chooseStore(operator, 'store whose keys to list', "Which store's keys do you want to see?"),
    );
    return operator.open(async (storage) => (await listKeys(storage, storeId)).reverse().slice(0, limit));
  },
  columns: {
    id: ({ id }) => id,
    label: ({ label }) => label || '-',
    scopes: ({ scopes }) => describeScopes(scopes),
    state: ({ state }) => state,
    created: ({ createdAt }, ago) => ago(createdAt),
    expires: ({ expiresAt }, ago) => (expiresAt === null ? 'never' : ago(expiresAt)),
    'last used': ({ lastUsedAt }, ago) => (lastUsedAt === null ? '-' : ago(lastUsedAt)),
  },
  empty: () => 'The store has no keys.',
});

function describeScopes(scopes: readonly string[]): string {
  const isSame = (preset: readonly string[]) =>
    preset.length === scopes.length && preset.every((scope) => scopes.includes(scope));
  const preset = Object.entries(presets).find(([, granted]) => isSame(granted));
  return preset?.[0] ?? (scopes.join(', ') || 'none');
}
