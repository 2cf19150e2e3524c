import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isObject, parseJson } from '../../base/json.ts';
import type { ProfileStore } from '../config/profile-store.ts';
import { getPath } from '../core/field-path.ts';

/** The stored profiles, read without conf, which takes longer to load than Tab may take. Keys are not read. */
export function readProfiles(directory: string): Pick<ProfileStore, 'current' | 'names' | 'get'> {
  const settings = readSettings(path.join(directory, 'settings.json'));
  const stored = getPath(settings, ['profiles']);
  const profiles = isObject(stored) ? stored : {};
  const current = getPath(settings, ['current']);
  return {
    current: () => (typeof current === 'string' ? current : null),
    names: () => Object.keys(profiles).sort(),
    get(name) {
      const profile = Object.hasOwn(profiles, name) ? profiles[name] : null;
      if (!isObject(profile)) return null;
      const { storeId, baseUrl } = profile;
      return {
        ...(typeof storeId === 'string' && { storeId }),
        ...(typeof baseUrl === 'string' && { baseUrl }),
      };
    },
  };
}

/** Null for a file that cannot be used. Reading from a pipe could block the shell forever. */
function readSettings(file: string): unknown {
  try {
    return statSync(file).isFile() ? parseJson(readFileSync(file, 'utf8')) : null;
  } catch {
    return null;
  }
}
