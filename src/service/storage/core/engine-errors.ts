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
 * read-only, lets nobody in, a lock or a statement took too long, or others were in conflict.
 */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  return /^(?:08|53|57P0|57014|55P03|25P03|25006|28000|40001|40P01)/.test(code) || isConnectionLost(error);
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

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
