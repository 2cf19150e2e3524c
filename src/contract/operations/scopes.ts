import { servedOperations } from './operations.ts';

export type Scope = (typeof servedOperations)[number]['service']['scope'];

/** What an API key of this repository's service may do: each operation names the scope that it needs. */
export const scopes: readonly Scope[] = [...new Set(servedOperations.map(({ service }) => service.scope))];

/** Scopes of common kinds of keys. */
export const presets = {
  owner: scopes,
  'ci-backup': ['backups:write', 'backups:read'],
  support: ['disputes:read', 'disputes:write', 'disputes:decide'],
} as const satisfies Record<string, readonly Scope[]>;

export type Preset = keyof typeof presets;
