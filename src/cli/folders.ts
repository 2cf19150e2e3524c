import path from 'node:path';
import type { Io } from './io.ts';
import { demoProfile } from './settings.ts';

type Places = Pick<Io, 'env' | 'process' | 'homeDirectory'>;

/** Where settings are kept: `STORECTL_CONFIG_DIR`, else the platform's folder for settings. */
export function configDirectory({ env, process, homeDirectory }: Places): string {
  if (env.STORECTL_CONFIG_DIR) return path.resolve(env.STORECTL_CONFIG_DIR);
  if (process.platform === 'win32') {
    return path.join(env.APPDATA || path.join(homeDirectory, 'AppData', 'Roaming'), 'storectl');
  }
  return path.join(env.XDG_CONFIG_HOME || path.join(homeDirectory, '.config'), 'storectl');
}

/** Where history and the demo store are kept: `STORECTL_STATE_DIR`, else the platform's folder for state. */
export function stateDirectory({ env, process, homeDirectory }: Places): string {
  if (env.STORECTL_STATE_DIR) return path.resolve(env.STORECTL_STATE_DIR);
  if (process.platform === 'win32') {
    return path.join(env.LOCALAPPDATA || path.join(homeDirectory, 'AppData', 'Local'), 'storectl');
  }
  return path.join(env.XDG_STATE_HOME || path.join(homeDirectory, '.local', 'state'), 'storectl');
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
