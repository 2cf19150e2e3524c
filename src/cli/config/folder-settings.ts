import path from 'node:path';
import { isObject } from '../../base/json.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { localStateError } from '../core/errors.ts';
import { readJsonFile } from './settings-file.ts';

export interface FolderSettings {
  readonly profile?: string;
  readonly storeId?: string;
}

/** Reads `.storectl.json` of this folder only: a parent folder may belong to someone else. */
export function readFolderSettings(cwd: string): FolderSettings {
  const file = path.join(cwd, '.storectl.json');
  try {
    const settings = readJsonFile(file) ?? {};
    if (!isFolderSettings(settings)) throw new Error('it may only have "profile" and "storeId", as text');
    return settings;
  } catch (error) {
    throw localStateError(
      'folder_settings_unreadable',
      `cannot read ${file}: ${describeSystemError(error)}`,
      'fix the file or remove it',
    );
  }
}

function isFolderSettings(value: unknown): value is FolderSettings {
  const isKnown = ([name, setting]: [string, unknown]) =>
    ['profile', 'storeId'].includes(name) && typeof setting === 'string';
  return isObject(value) && Object.entries(value).every(isKnown);
}
