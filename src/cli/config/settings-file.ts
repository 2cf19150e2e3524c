import { readFileSync, statSync } from 'node:fs';
import { parseJson } from '../../base/json.ts';

/** The text of a file of settings. Throws for a pipe or a device: reading one could block for ever, and Ctrl-C with it. */
export function readRegularFile(file: string): string {
  if (!statSync(file).isFile()) throw new Error('not a regular file');
  return readFileSync(file, 'utf8');
}

/** The JSON value in a file of settings, or undefined if there is no such file. */
export function readJsonFile(file: string): unknown {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  // Editors and shells on Windows write a byte order mark.
  const value = parseJson(readRegularFile(file).replace(/^\ufeff/, ''));
  if (value === undefined) throw new Error('not valid JSON');
  return value;
}
