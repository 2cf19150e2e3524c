import { formatDistance } from '../../../cli/output/format-value.ts';
import { type ListedKey, listKeys, presets } from '../../../service/index.ts';
import { operatorListCommand } from '../operator/list-command.ts';

export const command = operatorListCommand({
  words: 'keys list',
  description:
    'List the keys of a store, newest first, with their scopes and the hour of their last use. The keys themselves are never shown.',
  needsStore: true,
  list: (storage, page) => listKeys(storage, page.storeId ?? '', page.limit),
  columns: ['id', 'label', 'scopes', 'state', 'createdAt', 'expiresAt', 'lastUsedAt'],
  cells: { scopes: describeScopes, lastUsedAt: describeLastUse },
});

function describeScopes({ scopes }: ListedKey): string {
  const isSame = (preset: readonly string[]) =>
    preset.length === scopes.length && preset.every((scope) => scopes.includes(scope));
  const preset = Object.entries(presets).find(([, granted]) => isSame(granted));
  return preset?.[0] ?? (scopes.join(', ') || 'none');
}

/** Of the last use, only the hour is known: `less than 4 hours ago`, and `3 days ago`. */
function describeLastUse({ lastUsedAt }: ListedKey): string {
  if (lastUsedAt === null) return 'never';
  const age = Date.now() - Date.parse(lastUsedAt);
  const hours = Math.max(1, Math.ceil(age / 3_600_000));
  if (hours > 24) return formatDistance(-age);
  return `less than ${hours === 1 ? 'an hour' : `${hours} hours`} ago`;
}
