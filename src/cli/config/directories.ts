import path from 'node:path';
import { localStateError } from '../core/errors.ts';
import type { Io } from '../core/io.ts';
import { demoProfile } from './connection-settings.ts';

type Places = Pick<Io, 'env' | 'process' | 'homeDirectory'>;

/** Where settings are kept: `STORECTL_CONFIG_DIR`, else the platform's folder for settings. Throws exit 11 without any. */
export function configDirectory(places: Places): string {
  const { env, process } = places;
  return process.platform === 'win32'
    ? ownFolder(places, 'STORECTL_CONFIG_DIR', env.APPDATA, 'AppData', 'Roaming')
    : ownFolder(places, 'STORECTL_CONFIG_DIR', env.XDG_CONFIG_HOME, '.config');
}

/** Where history and the demo store are kept: `STORECTL_STATE_DIR`, else the platform's folder for state. The same. */
export function stateDirectory(places: Places): string {
  const { env, process } = places;
  return process.platform === 'win32'
    ? ownFolder(places, 'STORECTL_STATE_DIR', env.LOCALAPPDATA, 'AppData', 'Local')
    : ownFolder(places, 'STORECTL_STATE_DIR', env.XDG_STATE_HOME, '.local', 'state');
}

/** `platformFolder` and the home folder have to be absolute: another would be below the folder that one happens to be in. */
function ownFolder(
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
    `there is no home folder: ${home} is ${env[home] ? `"${env[home]}", which is no absolute path` : 'empty or not set'}`,
    `nothing was sent; set ${home}, or name a folder with ${variable}`,
  );
}

/** Where the demo store and its history are kept: nothing of it is anybody else's. */
export function demoDirectory(places: Places): string {
  return path.join(stateDirectory(places), 'demo');
}

/** Where the history of a profile is kept. */
export function historyDirectory(places: Places, profile: string): string {
  if (profile === demoProfile) return path.join(demoDirectory(places), 'history');
  return path.join(stateDirectory(places), 'history', profile);
}
