import { isWellFormedKey } from '../../contract/api-key.ts';
import { usageError } from '../core/errors.ts';
import type { Environment } from '../core/io.ts';

/** Where the key is, which is read when a request needs it: a file may be a pipe, and a command may ask for a fingerprint. */
export type KeyOrigin =
  | { readonly kind: 'text'; readonly text: string; readonly source: 'environment' | 'profile' }
  | { readonly kind: 'file'; readonly file: string; readonly source: 'environment' }
  | { readonly kind: 'command'; readonly command: string; readonly source: 'environment' | 'profile' };

/** The variables that supply the key, the first that is set. They take precedence over what is stored. */
const variables = ['STORECTL_API_KEY', 'STORECTL_API_KEY_FILE', 'STORECTL_API_KEY_COMMAND'] as const;

/** The environment variable that supplies the key, or null. */
export function keyVariable(env: Environment): (typeof variables)[number] | null {
  return variables.find((name) => env[name]) ?? null;
}

/** Where the key is that the environment supplies, or null. Throws exit 2 for a text that cannot be a key. */
export function environmentKey(env: Environment): KeyOrigin | null {
  const name = keyVariable(env);
  const value = name === null ? undefined : env[name];
  if (value === undefined) return null;
  const source = 'environment';
  if (name === 'STORECTL_API_KEY_FILE') return { kind: 'file', file: value, source };
  if (name === 'STORECTL_API_KEY_COMMAND') return { kind: 'command', command: value, source };
  return { kind: 'text', text: checkKey(value.trim(), 'the key in STORECTL_API_KEY'), source };
}

/** For people: `set in STORECTL_API_KEY`, `from the command "pass store"`. `settingsFile` has what is stored. */
export function describeKey(key: KeyOrigin, settingsFile: string): string {
  if (key.kind === 'file') return `in ${key.file} (from STORECTL_API_KEY_FILE)`;
  if (key.kind === 'text') {
    return key.source === 'profile' ? `stored in ${settingsFile}` : 'set in STORECTL_API_KEY';
  }
  const from = key.source === 'profile' ? settingsFile : 'STORECTL_API_KEY_COMMAND';
  return `from the command "${key.command}" (in ${from})`;
}

/**
 * Throws exit 2 for text that cannot be a key, and must not become a header, and for a key of this project's service whose
 * checksum is wrong, so that a mistyped key is never sent. The message never contains the key.
 */
export function checkKey(key: string, what: string): string {
  const looksLikeOurs = /^sk_(?:live|demo)_[0-9A-Za-z]{12}_/.test(key);
  let problem: string;
  if (key === '') problem = 'is empty';
  else if (!/^[\x21-\x7e]+$/.test(key)) problem = 'contains characters that a key cannot have';
  else if (looksLikeOurs && !isWellFormedKey(key)) problem = 'is mistyped or cut off: its checksum is wrong';
  else return key;
  throw usageError(`${what} ${problem}`, 'copy the whole key again: one word without spaces or line breaks', {
    code: 'malformed_key',
  });
}
