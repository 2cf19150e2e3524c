import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';
import { getuid } from 'node:process';
import type { ProcessFacts } from '../../base/files/process-identity.ts';
import { isObject } from '../../base/json.ts';
import { describeSystemError, errorCode } from '../../base/system-error.ts';
import { quoteCommand } from '../core/command-text.ts';
import { CliError, localStateError } from '../core/errors.ts';
import { readJsonFile } from './settings-file.ts';

/** One stored profile: a store, and the key to it. */
export interface Profile {
  readonly baseUrl?: string;
  readonly storeId?: string;
  readonly apiKey?: string;
  /** A command for the shell that prints the key, in place of the key itself. */
  readonly keyCommand?: string;
  /** Base URL that the key was stored for, as `normalizeBaseUrl` writes it: the key is sent nowhere else. */
  readonly keyBaseUrl?: string;
}

export interface ProfileStore {
  /** Path of the settings file. */
  readonly file: string;
  /** Name of the default profile, or null. */
  current(): string | null;
  get(name: string): Profile | null;
  names(): string[];
  /** Creates or changes a profile. `change` gets the current value, or null if the profile is new. */
  set(name: string, change: (before: Profile | null) => Profile): Promise<void>;
  remove(name: string): Promise<void>;
  use(name: string): Promise<void>;
}

type Settings = {
  format?: number;
  current?: string;
  profiles?: Record<string, Profile>;
};

/** A change that this version would misread needs a new number. A file without one has format 1. */
const settingsFormat = 1;

/** The stored profiles, for reading alone: read anew by each function, and without conf, which takes long to load. */
export function readProfiles(directory: string): Pick<ProfileStore, 'file' | 'current' | 'get' | 'names'> {
  const file = path.join(directory, 'settings.json');
  return {
    file,
    current: () => readSettings(file).current ?? null,
    get: (name) => profileOf(readSettings(file), name),
    names: () => Object.keys(readSettings(file).profiles ?? {}).sort(),
  };
}

/**
 * Opens `settings.json` in `directory`, mode 0600 in a folder of mode 0700. A looser mode of the file is repaired and reported to
 * `notice`. Throws `settings_unreadable` if the file is not a JSON object, and `settings_newer` if a newer version wrote it.
 */
export function openProfiles(
  directory: string,
  process: ProcessFacts,
  notice: (line: string) => void,
): ProfileStore {
  const stored = readProfiles(directory);
  const { file } = stored;
  // Windows has no such modes: there, the permissions of the user's folder protect the file.
  if (process.platform !== 'win32') repairMode(file, notice);

  const write = async (change: (settings: Settings) => Settings): Promise<void> => {
    // A pipe or a device is refused before anything opens it.
    readSettings(file);
    const { writeSettings } = await import('./write-settings.ts');
    await writeSettings(directory, process, () => change(readSettings(file)));
  };

  return {
    ...stored,
    set: (name, change) =>
      write((settings) => ({
        ...settings,
        profiles: { ...settings.profiles, [name]: change(profileOf(settings, name)) },
      })),
    remove: (name) =>
      write(({ current, profiles = {}, ...rest }) => ({
        ...rest,
        ...(current !== undefined && current !== name && { current }),
        profiles: Object.fromEntries(Object.entries(profiles).filter(([key]) => key !== name)),
      })),
    use: (name) => write((settings) => ({ ...settings, current: name })),
  };
}

function profileOf({ profiles = {} }: Settings, name: string): Profile | null {
  return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;
}

/** Empty settings if there is no file. */
function readSettings(file: string): Settings {
  try {
    const settings = readJsonFile(file) ?? {};
    if (isObject(settings) && typeof settings.format === 'number' && settings.format > settingsFormat) {
      throw localStateError(
        'settings_newer',
        `${file} has format ${settings.format} of a newer storectl version`,
        'update storectl, or choose another directory with STORECTL_CONFIG_DIR',
      );
    }
    if (!isSettings(settings)) throw new Error('not a settings file of storectl');
    return settings;
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** A file of another owner, or on a disk that is read-only, is used as it is. */
function repairMode(file: string, notice: (line: string) => void): void {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return;
    const found = stats.mode & 0o777;
    if ((found & 0o177) === 0) return;
    const mode = found.toString(8);
    const isChanged = stats.uid === getuid?.() && changeMode(file);
    notice(
      isChanged
        ? `${file} was readable by others (mode ${mode}): changed to 600`
        : `${file} is readable by others (mode ${mode}), and cannot be changed`,
    );
  } catch (error) {
    throw unreadable(file, error);
  }
}

function changeMode(file: string): boolean {
  try {
    chmodSync(file, 0o600);
    return true;
  } catch (error) {
    if (['EROFS', 'EPERM', 'EACCES'].includes(errorCode(error))) return false;
    throw error;
  }
}

function isSettings(value: unknown): value is Settings {
  if (!isObject(value)) return false;
  const { current, profiles } = value;
  if (current !== undefined && typeof current !== 'string') return false;
  return profiles === undefined || (isObject(profiles) && Object.values(profiles).every(isObject));
}

function unreadable(file: string, error: unknown) {
  if (error instanceof CliError) return error;
  return localStateError(
    'settings_unreadable',
    `cannot read settings from ${file}: ${describeSystemError(error)}`,
    `fix the file, or move it away and run ${quoteCommand('auth', 'login')}`,
  );
}
