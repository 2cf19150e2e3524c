import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../../base/json.ts';
import type { Session } from '../../cli/command/session.ts';
import {
  type ConnectionSettings,
  demoProfile,
  describeSource,
} from '../../cli/config/connection-settings.ts';
import { configDirectory } from '../../cli/config/directories.ts';
import { CliError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import type { Io } from '../../cli/core/io.ts';
import { normalizeBaseUrl } from '../../client/base-url.ts';
import { parseKey } from '../../contract/api-key.ts';
import { type Finding, notChecked, ok, problem, problemOf, warning } from './finding.ts';

/** The settings, and the findings about them. */
export interface SettingsFindings {
  readonly findings: readonly Finding[];
  /** Null if they cannot be read. */
  readonly settings: ConnectionSettings | null;
  /** Whether the key can be checked: there is one, it belongs to the address, and it is not mistyped. */
  readonly mayTryKey: boolean;
}

/** Checks settings file, folder file, profile, address, store and key, without any request. */
export async function checkSettings(session: Session): Promise<SettingsFindings> {
  // Comes first, because reading the settings repairs the file modes.
  const file: Finding[] = [];
  let settings: ConnectionSettings;
  try {
    file.push(checkFile(session.io));
    settings = await session.settings();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const check = checkOfError[error.failure.code] ?? 'usage';
    const left = ['profile', 'address', 'store', 'key'].filter((name) => name !== check);
    const findings = [
      ...(check === 'settings' ? [] : file),
      problemOf(session, check, error),
      ...left.map((name) => notChecked(name, `fix "${check}" first`)),
    ];
    return { findings, settings: null, mayTryKey: false };
  }
  const { profile, profileSource } = settings;
  const findings = [
    ...file,
    ...checkFolderFile(session.io),
    ok(
      'profile',
      profileSource === 'profile'
        ? profile
        : `${profile} (${profileSource === 'default' ? 'default' : `from ${describeSource(profileSource)}`})`,
    ),
  ];
  if (profile === demoProfile) return { findings, settings, mayTryKey: true };
  const key = await checkKeyOf(session, settings);
  findings.push(checkAddress(settings), checkStore(settings), ...key);
  const mayTryKey = settings.storeId !== null && key.every(({ status }) => status !== 'problem');
  return { findings, settings, mayTryKey };
}

const checkOfError: Readonly<Record<string, string>> = {
  settings_unreadable: 'settings',
  no_home: 'settings',
  folder_settings_unreadable: 'folder',
  unknown_profile: 'profile',
  invalid_base_url: 'address',
  key_file_unreadable: 'key',
  malformed_key: 'key',
};

function checkFile(io: Io): Finding {
  const folder = configDirectory(io);
  const file = path.join(folder, 'settings.json');
  if (!existsSync(file)) return ok('settings', `nothing stored yet (${file})`);
  const loose = [folder, file].filter((name) => isLoose(io, name));
  if (loose.length === 0) return ok('settings', `${file}, readable only by you`);
  return warning(
    'settings',
    `other users could read ${loose.join(' and ')}`,
    'its permissions were corrected; if others use this machine, replace the key with `storectl auth login`',
  );
}

/** Whether the mode gives anyone but the owner access. Windows has no such modes. */
export function isLoose({ process }: Pick<Io, 'process'>, file: string): boolean {
  if (process.platform === 'win32') return false;
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o077) !== 0;
}

function checkFolderFile({ cwd }: Io): Finding[] {
  const file = path.join(cwd, '.storectl.json');
  if (!existsSync(file)) return [];
  const settings: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  const sets = Object.entries(isObject(settings) ? settings : {}).map(([name, value]) => `${name} ${value}`);
  return [ok('folder', `${file} sets ${sets.join(', ') || 'nothing'}`)];
}

function checkAddress({ baseUrl }: ConnectionSettings): Finding {
  if (baseUrl !== null)
    return ok('address', `${baseUrl.value.href} (from ${describeSource(baseUrl.source)})`);
  const fix = 'run `storectl auth login`, or set STORECTL_BASE_URL (`storectl --demo …` needs none)';
  return problem('address', 'no base URL is set', fix, exitCodes.inputNeeded);
}

function checkStore({ storeId }: ConnectionSettings): Finding {
  if (storeId !== null) return ok('store', `${storeId.value} (from ${describeSource(storeId.source)})`);
  const fix = 'run `storectl auth login`, pass --store ID, or set STORECTL_STORE_ID';
  return problem('store', 'no store is set', fix, exitCodes.inputNeeded);
}

async function checkKeyOf(session: Session, settings: ConnectionSettings): Promise<Finding[]> {
  const { apiKey, baseUrl, profile } = settings;
  if (apiKey === null) return [await missingKey(session, settings)];
  const { value: key, source } = apiKey;
  const from = `from ${describeSource(source)}`;
  const parts = parseKey(key);
  if (parts === null && /^sk_(live|demo)_[0-9A-Za-z]{12}_/.test(key)) {
    const fix =
      source === 'profile'
        ? `copy it again with \`storectl auth login --profile ${profile}\``
        : 'copy it again into the environment';
    const message = `the key (${from}) is mistyped or cut off: its checksum is wrong`;
    return [problem('key', message, fix, exitCodes.notAllowed)];
  }
  const format = parts === null ? 'set, in an unknown format' : `${parts.id}, well-formed`;
  const bound =
    source === 'profile' && baseUrl !== null ? `, bound to ${normalizeBaseUrl(baseUrl.value.href)}` : '';
  return [ok('key', `${format} (${from}${bound})`)];
}

async function missingKey(session: Session, { profile, baseUrl }: ConnectionSettings): Promise<Finding> {
  const file = path.join(configDirectory(session.io), 'settings.json');
  const stored = existsSync(file) ? (await session.profiles()).get(profile) : null;
  const login = `storectl auth login --profile ${profile}`;
  if (stored?.apiKey !== undefined && baseUrl !== null) {
    return problem(
      'key',
      `the stored key belongs to ${stored.keyBaseUrl ?? 'no base URL'} and is not sent to ${normalizeBaseUrl(baseUrl.value.href)}`,
      `use the base URL that it belongs to, or store a key for this one with \`${login}\``,
      exitCodes.notAllowed,
    );
  }
  return problem('key', 'no key is set', `run \`${login}\`, or set STORECTL_API_KEY`, exitCodes.notAllowed);
}
