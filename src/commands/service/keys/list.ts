import { type ListedKey, listKeys, presets } from '../../../service/index.ts';
import { listCommand } from '../operator/list-command.ts';

export const command = listCommand({
  words: 'keys list',
  description:
    'List the keys of a store, newest first, with their scopes and last use. The keys themselves are never shown.',
  needsStore: true,
  list: (storage, page) => listKeys(storage, page.storeId ?? '', page.limit),
  columns: ['id', 'label', 'scopes', 'state', 'createdAt', 'expiresAt', 'lastUsedAt'],
  cells: { scopes: describeScopes },
});

function describeScopes({ scopes }: ListedKey): string {
  const isSame = (preset: readonly string[]) =>
    preset.length === scopes.length && preset.every((scope) => scopes.includes(scope));
  const preset = Object.entries(presets).find(([, granted]) => isSame(granted));
  return preset?.[0] ?? (scopes.join(', ') || 'none');
}
