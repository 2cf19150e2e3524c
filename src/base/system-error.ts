import { getSystemErrorMap } from 'node:util';

/** The code of an error, such as ENOSPC or the SQLSTATE 40001; an empty string if what was thrown has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Codes that Node.js does not explain, or not in the words of a user. */
const ownWords: Readonly<Record<string, string>> = {
  EBUSY: 'another program has it open',
  EISDIR: 'is a directory',
  ELOOP: 'symbolic links are not followed here',
  EDQUOT: 'the disk quota is exceeded',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name lookup failed, try again',
  SQLITE_NOTADB: 'the file is not a database',
  SQLITE_CORRUPT: 'the file is damaged',
  SQLITE_CANTOPEN: 'the file cannot be opened',
};

/** A system error in a few words, for the end of a sentence. */
export function describeSystemError(error: unknown): string {
  const code = errorCode(error);
  if (code === '') return error instanceof Error ? error.message : String(error);
  const [, words = code] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? [];
  return ownWords[code] ?? words;
}
