import path from 'node:path';
import type { StoreIdentity } from '../../history/journal/journal.ts';
import { storeFolder } from '../../history/store-folder.ts';
import { localStateError } from '../core/errors.ts';
import type { Io } from '../core/io.ts';
import { demoProfile } from './connection-settings.ts';

type Places = Pick<Io, 'env' | 'process' | 'homeDirectory'>;

/** Folder of the settings: `STORECTL_CONFIG_DIR` or the platform's default. Throws exit 11 without a home folder. */
export function configDirectory(places: Places): string {
  const { env, process } = places;
  return process.platform === 'win32'
    ? resolveDirectory(places, 'STORECTL_CONFIG_DIR', env.APPDATA, 'AppData', 'Roaming')
    : resolveDirectory(places, 'STORECTL_CONFIG_DIR', env.XDG_CONFIG_HOME, '.config');
}

/** Folder of history and demo store: `STORECTL_STATE_DIR` or the platform's default. Throws exit 11 without a home folder. */
export function stateDirectory(places: Places): string {
  const { env, process } = places;
  return process.platform === 'win32'
    ? resolveDirectory(places, 'STORECTL_STATE_DIR', env.LOCALAPPDATA, 'AppData', 'Local')
    : resolveDirectory(places, 'STORECTL_STATE_DIR', env.XDG_STATE_HOME, '.local', 'state');
}

/** `platformFolder` and the home folder must be absolute: relative ones would depend on the current folder. */
function resolveDirectory(
  { env, process, homeDirectory }: Places,
  variable: string,
  platformFolder: string | undefined,
  ...belowHome: readonly string[]
): string {
  const { isAbsolute } = process.platform === 'win32' ? path.win32 : path.posix;
  const own = env[variable];
  if (own) return path.resolve(own);
  if (platformFolder && isAbsolute(platformFolder)) return path.join(platformFolder, 'storectl');
  if (isAbsolute(homeDirectory)) return path.join(homeDirectory, ...belowHome, 'storectl');
  const home = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';
  throw localStateError(
    'no_home',
    `cannot find the home directory: ${home} is ${env[home] ? `"${env[home]}", which is not an absolute path` : 'not set'}`,
    `set ${home}, or set STORECTL_CONFIG_DIR and STORECTL_STATE_DIR to directories`,
  );
}

/** Folder of the demo store and its history. It contains nothing else, so it can be deleted as a whole. */
export function demoDirectory(places: Places): string {
  return path.join(stateDirectory(places), 'demo');
}

/** Folder of the history of a store: a profile is only one way to reach it. */
export function historyDirectory(places: Places, store: StoreIdentity): string {
  const parent = store.baseUrl === demoProfile ? demoDirectory(places) : stateDirectory(places);
  return storeFolder(path.join(parent, 'history'), store);
}
