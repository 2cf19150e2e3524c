import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import Conf from 'conf';
import { describeSystemError, localStateError } from './errors.ts';
import { isObject } from './output.ts';

/** One stored profile: a store, and the key to it. */
export interface Profile {
  readonly baseUrl?: string;
  readonly storeId?: string;
  readonly apiKey?: string;
  /** Origin that the key was stored for: it is sent nowhere else. */
  readonly keyOrigin?: string;
}

export interface ProfileStore {
  /** Path of the settings file. */
  readonly file: string;
  /** Name of the profile that is used when none is named, or null. */
  current(): string | null;
  get(name: string): Profile | null;
  names(): string[];
  /** Creates or replaces a profile. */
  set(name: string, profile: Profile): void;
  remove(name: string): void;
  use(name: string): void;
}

interface Settings {
  current?: string;
  profiles?: Record<string, Profile>;
}

/**
 * The settings file, `settings.json` in `directory`, mode 0600 in a folder of mode 0700. Looser modes are repaired and
 * reported to `notice`. Throws a `settings_unreadable` error where the file is no JSON object.
 */
export function openProfiles(
  directory: string,
  platform: NodeJS.Platform,
  notice: (line: string) => void,
): ProfileStore {
  const file = path.join(directory, 'settings.json');
  // Windows has no such modes: there the folder of the user's account protects the file.
  if (platform !== 'win32') {
    repairMode(directory, 0o700, notice);
    repairMode(file, 0o600, notice);
  }

  let opened: Conf<Settings> | undefined;
  const guarded = <Result>(work: (settings: Conf<Settings>) => Result): Result => {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      opened ??= new Conf<Settings>({
        cwd: directory,
        configName: 'settings',
        projectName: 'storectl',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        clearInvalidConfig: false,
      });
      return work(opened);
    } catch (error) {
      throw settingsError(file, error);
    }
  };
  const read = (): Settings => {
    if (!existsSync(file)) return {};
    const settings = guarded((conf) => conf.store);
    if (!isSettings(settings)) throw settingsError(file, new Error('it is not a settings file of storectl'));
    return settings;
  };
  const write = (change: (settings: Settings) => Settings): void => {
    const next = change(read());
    guarded((conf) => {
      conf.store = next;
    });
  };

  return {
    file,
    current: () => read().current ?? null,
    get: (name) => {
      const { profiles = {} } = read();
      return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;
    },
    names: () => Object.keys(read().profiles ?? {}).sort(),
    set: (name, profile) =>
      write((settings) => ({ ...settings, profiles: { ...settings.profiles, [name]: profile } })),
    remove: (name) =>
      write(({ current, profiles = {}, ...rest }) => ({
        ...rest,
        ...(current !== undefined && current !== name && { current }),
        profiles: Object.fromEntries(Object.entries(profiles).filter(([key]) => key !== name)),
      })),
    use: (name) => write((settings) => ({ ...settings, current: name })),
  };
}

function repairMode(file: string, mode: number, notice: (line: string) => void): void {
  if (!existsSync(file)) return;
  try {
    const found = statSync(file).mode & 0o777;
    if ((found & ~mode) === 0) return;
    chmodSync(file, mode);
    notice(`${file} could be read by others (mode ${found.toString(8)}): it is ${mode.toString(8)} now`);
  } catch (error) {
    throw settingsError(file, error);
  }
}

function isSettings(value: unknown): value is Settings {
  if (!isObject(value)) return false;
  const { current, profiles } = value;
  if (current !== undefined && typeof current !== 'string') return false;
  return profiles === undefined || (isObject(profiles) && Object.values(profiles).every(isObject));
}

function settingsError(file: string, error: unknown) {
  const reason = error instanceof SyntaxError ? 'it is not valid JSON' : describeSystemError(error);
  return localStateError(
    'settings_unreadable',
    `cannot use the settings in ${file}: ${reason}`,
    'mend the file, or move it away and run `storectl auth login`',
  );
}
