import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../../base/json.ts';
import { requireKey } from '../../cli/command/connection.ts';
import { missingConnection } from '../../cli/command/input-needed.ts';
import type { Session } from '../../cli/command/session.ts';
import {
  type ConnectionSettings,
  demoProfile,
  describeSource,
  loginCommand,
} from '../../cli/config/connection-settings.ts';
import { configDirectory } from '../../cli/config/directories.ts';
import { CliError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import type { Io } from '../../cli/core/io.ts';
import { normalizeBaseUrl } from '../../client/base-url.ts';
import { parseKey } from '../../contract/api-key.ts';
import { type Finding, notChecked, ok, problem, problemOf, warning } from './finding.ts';

/** Checks settings file, folder file, profile, address, store and key, without any request. */
export async function checkSettings(session: Session): Promise<Finding[]> {
  const { io } = session;
  // Comes first, because reading the settings repairs the file modes.
  const file: Finding[] = [];
  let settings: ConnectionSettings;
  try {
    file.push(checkFile(io));
    settings = await session.settings();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const check = checkOfError[error.failure.code] ?? 'usage';
    return [
      ...(check === 'settings' ? [] : file),
      problemOf(session, check, error),
      ...['profile', 'address', 'store', 'key']
        .filter((name) => name !== check)
        .map((name) => notChecked(name, `fix "${check}" first`)),
    ];
  }
  const { profile, profileSource } = settings;
  const from =
    profileSource === 'profile'
      ? ''
      : ` (${profileSource === 'default' ? 'default' : `from ${describeSource(profileSource)}`})`;
  return [
    ...file,
    ...checkFolderFile(io),
    ok('profile', profile + from),
    ...(profile === demoProfile ? [] : [...checkConnection(settings), checkKey(session, settings)]),
  ];
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
  const readable = [folder, file].filter((name) => isReadableByOthers(io, name));
  if (readable.length === 0) return ok('settings', `${file}, readable only by you`);
  return warning(
    'settings',
    `other users could read ${readable.join(' and ')}`,
    'its permissions were corrected; if others use this machine, replace the key with `storectl auth login`',
  );
}

/** Whether the mode gives anyone but the owner access. Windows has no such modes. */
export function isReadableByOthers({ process }: Pick<Io, 'process'>, file: string): boolean {
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

/** The address and the store. */
function checkConnection(settings: ConnectionSettings): Finding[] {
  const { profile, baseUrl, storeId } = settings;
  const missing = missingConnection(settings);
  return [
    { check: 'address', name: 'baseUrl', found: baseUrl && { ...baseUrl, value: baseUrl.value.href } },
    { check: 'store', name: 'storeId', found: storeId },
  ].map(({ check, name, found }) => {
    if (found !== null) return ok(check, `${found.value} (from ${describeSource(found.source)})`);
    const { give, description } = missing.find(({ field }) => field === name) ?? {
      give: '',
      description: '',
    };
    const fix = `run \`${loginCommand(profile)}\`, or give the ${description} (${give})`;
    return problem(check, `no ${check} is set`, fix, exitCodes.inputNeeded);
  });
}

function checkKey(session: Session, settings: ConnectionSettings): Finding {
  const { apiKey, baseUrl } = settings;
  try {
    const { id } = parseKey(requireKey(settings)) ?? {};
    const isBound = apiKey?.source === 'profile' && baseUrl !== null;
    const bound = isBound ? `, bound to ${normalizeBaseUrl(baseUrl.value.href)}` : '';
    const from = `from ${describeSource(apiKey?.source ?? 'default')}`;
    return ok(
      'key',
      `${id === undefined ? 'set, in an unknown format' : `${id}, well-formed`} (${from}${bound})`,
    );
  } catch (error) {
    if (error instanceof CliError) return problemOf(session, 'key', error);
    throw error;
  }
}
