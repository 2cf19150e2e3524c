import { readFileSync, statSync } from 'node:fs';
import { DocumentError, TooDeepError } from '../core/document/document.ts';
import { readJson } from '../core/document/json-document.ts';

/** The text of a file of settings. Throws for a pipe or a device: reading one could block for ever, and Ctrl-C with it. */
function readRegularFile(file: string): string {
  if (!statSync(file).isFile()) throw new Error('not a regular file');
  return readFileSync(file, 'utf8');
}

/** The JSON value in a file of settings, or undefined if there is no such file. */
export function readJsonFile(file: string): unknown {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  // Editors and shells on Windows write a byte order mark.
  try {
    return readJson(readRegularFile(file).replace(/^\ufeff/, ''), 0).value;
  } catch (error) {
    if (error instanceof TooDeepError) throw new Error('not valid JSON: nested too deeply');
    if (!(error instanceof DocumentError)) throw error;
    const { line, reason, repeatsKey } = error;
    throw new Error(repeatsKey ? reason : `not valid JSON in line ${line}: ${reason}`);
  }
}
