import type { Fault } from '../../model/errors.ts';

/** Tests for errors of the engines that the service can handle. */

/** Another connection holds the lock of the embedded engine. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error));
}

/** A unique index refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  return ['SQLITE_CONSTRAINT_UNIQUE', '23505'].includes(codeOf(error));
}

/**
 * PostgreSQL cannot do it now, and may later: it is unreachable, shuts down, is out of connections, disk or memory, is
 * read-only, damaged, lets nobody in, a lock or a statement took too long, or others were in conflict.
 */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  return (
    /^(?:08|53|57P0|57014|55P03|25P03|25006|28000|40001|40P01|58030|58P01|XX00[12])/.test(code) ||
    isConnectionLost(error)
  );
}

/** PostgreSQL has undone a transaction in favor of another one: run again, it succeeds. */
export function isConflict(error: unknown): boolean {
  return /^(?:40001|40P01)$/.test(codeOf(error));
}

/** By the beginning of the code: of SQLite, and of PostgreSQL. */
const faults: readonly (readonly [RegExp, Fault])[] = [
  [/^(?:SQLITE_FULL|53100)/, 'full'],
  [/^(?:SQLITE_CORRUPT|SQLITE_NOTADB|XX00[12])/, 'damaged'],
  [/^(?:SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|25006)/, 'readOnly'],
  [/^(?:SQLITE_IOERR|58030|58P01)/, 'failing'],
];

/** Why the database as a whole cannot save or read, by the error or what caused it. Null for any other error. */
export function faultOf(error: unknown): Fault | null {
  const code = codeOf(error);
  const [, fault] = faults.find(([pattern]) => pattern.test(code)) ?? [];
  if (fault !== undefined) return fault;
  return error instanceof Error && error.cause !== undefined ? faultOf(error.cause) : null;
}

/** The connection broke: whether the last statement took effect is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(?:08|57P0)/.test(code)) return true;
  if (/^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)/.test(code))
    return true;
  // Errors of pg itself have no code.
  return (
    error instanceof Error &&
    /^(?:Connection terminated|timeout e|Query read timeout|Client has)/i.test(error.message)
  );
}

/** PostgreSQL asks for a password that nobody has given. Errors of pg itself have no code. */
export function isPasswordMissing(error: unknown): boolean {
  return error instanceof Error && /client password must be a/.test(error.message);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
