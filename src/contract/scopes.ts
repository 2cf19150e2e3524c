/** What an API key of this repository's service may do. */
export const scopes = [
  'store:write',
  'blog:write',
  'settings:read',
  'settings:write',
  'disputes:read',
  'disputes:write',
  'disputes:decide',
  'backups:write',
  'backups:restore',
  'reclaims:appeal',
  'notifications:write',
] as const;

export type Scope = (typeof scopes)[number];

/** Scopes of common kinds of keys. */
export const presets = {
  owner: scopes,
  'ci-backup': ['backups:write'],
  support: ['disputes:read', 'disputes:write', 'disputes:decide'],
} as const satisfies Record<string, readonly Scope[]>;

export type Preset = keyof typeof presets;
