import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { printList } from '../../../cli/command/lists.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { formatDistance } from '../../../cli/output/format-value.ts';
import { renderTable } from '../../../cli/output/tables.ts';
import { askFirst } from '../../../cli/prompts/questions.ts';
import { type ListedKey, listKeys, presets } from '../../../service/index.ts';
import { chooseStore } from '../ask.ts';
import { databaseOption, withStorage } from '../database-options.ts';

export const command: CommandDefinition = {
  description:
    'List the keys of a store, oldest first, with their scopes. The keys themselves are never shown.',
  options: [databaseOption],
  listedGlobals: ['--store'],
  examples: ['service keys --store 4be5…', 'service keys --store 4be5… --json'],
  async run(context, parsed) {
    const storeId = await askFirst(() =>
      chooseStore(context, parsed, 'store whose keys to list', "Which store's keys do you want to see?"),
    );
    const keys = await withStorage(context, parsed, (storage) => listKeys(storage, storeId));
    const header = ['id', 'label', 'scopes', 'state', 'created', 'expires'];
    const rows = keys.map((key) => describeRow(key, context.now()));
    printList(context, keys, {
      empty: 'The store has no keys.',
      show: () => context.print(renderTable(header, rows, context.out)),
    });
  },
};

function describeRow(key: ListedKey, now: number): string[] {
  const { id, label, scopes, state, createdAt, expiresAt } = key;
  const ago = (time: string) => formatDistance(Date.parse(time) - now);
  return [
    id,
    printable(label || '-'),
    printable(describeScopes(scopes)),
    state,
    ago(createdAt),
    expiresAt === null ? 'never' : ago(expiresAt),
  ];
}

function describeScopes(scopes: readonly string[]): string {
  const isSame = (preset: readonly string[]) =>
    preset.length === scopes.length && preset.every((scope) => scopes.includes(scope));
  const preset = Object.entries(presets).find(([, granted]) => isSame(granted));
  return preset?.[0] ?? (scopes.join(', ') || 'none');
}
