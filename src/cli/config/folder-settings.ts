import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isObject, parseJson } from '../../base/json.ts';
import { CliError, describeSystemError, localStateError } from '../core/errors.ts';

export interface FolderSettings {
  readonly profile?: string;
  readonly storeId?: string;
}

/** Reads `.storectl.json` of this folder only: a parent folder may belong to someone else. */
export function readFolderSettings(cwd: string): FolderSettings {
  const file = path.join(cwd, '.storectl.json');
  const fail = (reason: string) =>
    localStateError(
      'folder_settings_unreadable',
      `cannot read ${file}: ${reason}`,
      'fix the file or remove it',
    );
  let text: string;
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return {};
    // Reading a pipe or a terminal could block for ever.
    if (!found.isFile()) throw fail('not a regular file');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw error instanceof CliError ? error : fail(describeSystemError(error));
  }
  // Editors and shells on Windows write a byte order mark.
  const settings = parseJson(text.replace(/^\ufeff/, ''));
  if (settings === undefined) throw fail('not valid JSON');
  if (!isObject(settings)) throw fail('not a JSON object');
  const unexpected = Object.keys(settings).filter((name) => name !== 'profile' && name !== 'storeId');
  if (unexpected.length > 0) {
    throw fail(
      `unknown setting ${unexpected.map((n) => `"${n}"`).join(', ')} (allowed: "profile", "storeId")`,
    );
  }
  const { profile, storeId } = settings;
  if (profile !== undefined && typeof profile !== 'string') throw fail('"profile" is not a string');
  if (storeId !== undefined && typeof storeId !== 'string') throw fail('"storeId" is not a string');
  return { ...(profile !== undefined && { profile }), ...(storeId !== undefined && { storeId }) };
}
