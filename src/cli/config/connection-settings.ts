import { normalizeBaseUrl, parseBaseUrl } from '../../client/base-url.ts';
import { isWellFormedKey } from '../../contract/api-key.ts';
import { exampleIds } from '../../contract/objects.ts';
import { canonicalId } from '../../contract/operation.ts';
import type { StoreIdentity } from '../../history/journal/journal.ts';
import { quoteCommand } from '../core/command-text.ts';
import { usageError } from '../core/errors.ts';
import type { Environment } from '../core/io.ts';
import { environmentKey, type KeyOrigin } from './api-key.ts';
import { readFolderSettings } from './folder-settings.ts';
import type { Profile, ProfileStore } from './profile-store.ts';

/** Profile that runs the service inside this process, with an example store. */
export const demoProfile = 'demo';

/** Profile that `auth login` creates by default. */
export const firstProfile = 'main';

/** Flags that choose where a command goes. */
export interface ConnectionFlags {
  readonly profile?: string | undefined;
  readonly store?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** Where a setting came from, for `auth status`. */
export type Source = 'flag' | 'environment' | 'folder' | 'profile' | 'default';

export interface Sourced<Value> {
  readonly value: Value;
  readonly source: Source;
}

/** Connection settings after merging all sources. A value that no source gives is null. */
export interface ConnectionSettings {
  readonly profile: string;
  readonly profileSource: Source;
  readonly storeId: Sourced<string> | null;
  /** As `normalizeBaseUrl` writes it. */
  readonly baseUrl: Sourced<string> | null;
  readonly key: KeyOrigin | null;
  /** Base URL that the stored key belongs to, if it is not `baseUrl`. */
  readonly storedKeyUrl?: string | undefined;
}

/**
 * Merges the settings: flags over environment, over the folder's `.storectl.json`, over the stored profile. A stored key
 * is only used with the base URL that it was stored for. Throws exit 2 if the named profile does not exist, unless
 * `profileMayBeNew`.
 */
export function resolveSettings(
  flags: ConnectionFlags,
  env: Environment,
  cwd: string,
  profiles: Pick<ProfileStore, 'current' | 'get'>,
  options: { readonly profileMayBeNew?: boolean } = {},
): ConnectionSettings {
  refuseEmptyFlags(flags);
  const folder = readFolderSettings(cwd);
  const named = firstGiven(
    ['flag', flags.profile],
    ['environment', env.STORECTL_PROFILE],
    ['folder', folder.profile],
  );
  const profile = named ?? currentProfile(profiles);
  checkProfileName(profile.value);
  if (profile.value === demoProfile) {
    // Environment, folder and profiles describe real stores, so only a flag of this command counts.
    const storeId = firstStoreId(['flag', flags.store]);
    return { profile: demoProfile, profileSource: profile.source, storeId, baseUrl: null, key: null };
  }
  const mayBeNew = named === null || options.profileMayBeNew;
  const stored = mayBeNew
    ? profiles.get(profile.value)
    : requireProfile(profiles, profile.value, profile.source);
  // The folder's store belongs to the folder's profile. With another profile, data would go to the wrong store.
  const folderApplies = folder.profile === undefined || folder.profile === profile.value;
  const storeId = firstStoreId(
    ['flag', flags.store],
    ['environment', env.STORECTL_STORE_ID],
    ['folder', folderApplies ? folder.storeId : undefined],
    ['profile', stored?.storeId],
  );
  const baseUrlText = firstGiven(
    ['flag', flags.baseUrl],
    ['environment', env.STORECTL_BASE_URL],
    ['profile', stored?.baseUrl],
  );
  const baseUrl = baseUrlText && {
    ...baseUrlText,
    value: checkBaseUrl(baseUrlText.value, howToChangeUrl(baseUrlText.source, profile.value)),
  };
  const isKeyForUrl = baseUrl !== null && stored?.keyBaseUrl === baseUrl.value;
  return {
    profile: profile.value,
    profileSource: profile.source,
    storeId,
    baseUrl,
    key: environmentKey(env) ?? (isKeyForUrl ? storedKey(stored) : null),
    ...(storedKey(stored) !== null && !isKeyForUrl && { storedKeyUrl: stored?.keyBaseUrl }),
  };
}

/** The key of a profile, or the command that prints it. */
function storedKey(profile: Profile | null): KeyOrigin | null {
  const { apiKey: text, keyCommand: command } = profile ?? {};
  if (text) return { kind: 'text', text, source: 'profile' };
  return command ? { kind: 'command', command, source: 'profile' } : null;
}

/** The stored profile. Throws exit 2 if it does not exist, and says where its name comes from unless it was typed. */
export function requireProfile(
  profiles: Pick<ProfileStore, 'get'>,
  name: string,
  source: Source = 'flag',
): Profile {
  const profile = profiles.get(name);
  if (profile !== null) return profile;
  const origin = source === 'flag' ? '' : ` (from ${describeSource(source, 'profile')})`;
  throw usageError(
    `profile "${name}" not found${origin}`,
    name === demoProfile
      ? `the demo store is always there: run ${quoteCommand('demo', 'info')} to see it, or ${quoteCommand('demo', 'reset')} to begin anew`
      : `run ${quoteCommand('profile', 'list')} to see all profiles, or ${quoteLogin(name)} to create this one`,
    { code: 'unknown_profile' },
  );
}

/** Throws exit 2 if `name` cannot name a profile. It must be safe to paste into a shell. */
export function checkProfileName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return;
  throw usageError(
    `invalid profile name "${name}"`,
    'use at most 64 letters, digits, dots, dashes and underscores, starting with a letter or digit',
  );
}

/** The store that these settings lead to, as its history is named; null without a store or an address. */
export function identityOf({
  profile,
  storeId,
  baseUrl,
}: Pick<ConnectionSettings, 'profile' | 'storeId' | 'baseUrl'>): StoreIdentity | null {
  if (profile === demoProfile) return { baseUrl: demoProfile, storeId: storeId?.value ?? exampleIds.store };
  if (storeId === null || baseUrl === null) return null;
  return { baseUrl: baseUrl.value, storeId: storeId.value };
}

/** The command that stores a new key for a profile, to stand in a sentence. */
export function quoteLogin(profile: string): string {
  return quoteCommand('auth', 'login', ...(profile === firstProfile ? [] : ['--profile', profile]));
}

/** The base URL in its one form. Throws exit 2, which says what is wrong with it and how to change it. */
export function checkBaseUrl(text: string, howToChange = 'change --base-url'): string {
  try {
    return normalizeBaseUrl(parseBaseUrl(text).href);
  } catch (error) {
    const what = String(error instanceof Error ? error.message : error);
    throw usageError(what, howToChange, { code: 'invalid_base_url' });
  }
}

function howToChangeUrl(source: Source, profile: string): string {
  if (source === 'environment') return 'change STORECTL_BASE_URL';
  return source === 'profile'
    ? `run ${quoteCommand('profile', 'set', profile, '--base-url', 'URL')} to change it`
    : 'change --base-url';
}

/** What a value sets, with the variable of the environment for it. */
export const settingVariables = {
  profile: 'STORECTL_PROFILE',
  storeId: 'STORECTL_STORE_ID',
  baseUrl: 'STORECTL_BASE_URL',
} as const;

/** Where a setting comes from: the flag's command line, the variable by its name, the file. */
export function describeSource(source: Source, setting: keyof typeof settingVariables): string {
  return {
    flag: 'the command line',
    environment: settingVariables[setting],
    folder: '.storectl.json',
    profile: 'the profile',
    default: 'default',
  }[source];
}

/** What gives the store, as the user knows it: the flag, the variable, the file. */
export function nameOfStore(source: Source): string {
  return source === 'flag'
    ? '--store'
    : source === 'profile'
      ? 'the store id of the profile'
      : describeSource(source, 'storeId');
}

function currentProfile(profiles: Pick<ProfileStore, 'current'>): Sourced<string> {
  const current = profiles.current();
  return current === null
    ? { value: firstProfile, source: 'default' }
    : { value: current, source: 'profile' };
}

function firstGiven(...candidates: [Source, string | undefined][]): Sourced<string> | null {
  const [source, value] = candidates.find(([, given]) => given) ?? [];
  return source === undefined || value === undefined ? null : { value, source };
}

function firstStoreId(...candidates: [Source, string | undefined][]): Sourced<string> | null {
  const given = firstGiven(...candidates);
  if (given !== null && isWellFormedKey(given.value)) {
    throw usageError(
      `the store id from ${describeSource(given.source, 'storeId')} is an API key`,
      'pass the id of the store instead: a key must not be printed',
      { code: 'key_as_store' },
    );
  }
  return given && { ...given, value: canonicalId(given.value) };
}

/** `--store "$UNSET"` must not fall back to another store. */
function refuseEmptyFlags(flags: ConnectionFlags): void {
  const empty = Object.entries({
    '--profile': flags.profile,
    '--store': flags.store,
    '--base-url': flags.baseUrl,
  })
    .filter(([, value]) => value === '')
    .map(([flag]) => flag);
  if (empty.length > 0) {
    throw usageError(`${empty.join(' and ')} needs a value`, 'add a value, or remove the flag');
  }
}

/** `4be5… @ api.example.com`: the store and the host of a profile, in the form of the line before a change. */
export function describePlace({
  storeId,
  baseUrl,
}: { readonly [Name in 'storeId' | 'baseUrl']?: string | undefined }): string {
  const host = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
  return `${storeId ?? 'no store'} @ ${host ?? 'no base URL'}`;
}

/** `main → store 4be5… @ api.example.com`. */
export function describeTarget({ profile, storeId, baseUrl }: ConnectionSettings): string {
  if (profile === demoProfile) return `${demoProfile} → example store on this machine`;
  const place = describePlace({ storeId: storeId?.value, baseUrl: baseUrl?.value });
  return `${profile} → ${storeId === null ? '' : 'store '}${place}`;
}
