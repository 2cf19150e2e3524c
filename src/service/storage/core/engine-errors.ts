/** What the engines call the errors that the service can do something about. */

/** Another connection holds the lock of the embedded engine. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error));
}

/** A unique index refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  return ['SQLITE_CONSTRAINT_UNIQUE', '23505'].includes(codeOf(error));
}

/** PostgreSQL broke the transaction off for the sake of others: it may succeed when it is run again. */
export function isBrokenOff(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

/** PostgreSQL cannot be asked, or not now: away, shutting down, out of connections, or a lock was not to be had. */
export function isUnavailable(error: unknown): boolean {
  return /^(?:08|53|57P0|55P03|25P03)/.test(codeOf(error)) || isConnectionLost(error);
}

/** Nothing is known of what was sent last. */
export function isConnectionLost(error: unknown): boolean {
  if (/^(?:08|57P0)/.test(codeOf(error))) return true;
  if (/^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)/.test(codeOf(error)))
    return true;
  // What pg itself throws has no code.
  return (
    error instanceof Error && /^(?:Connection terminated|timeout exceeded|Client has)/i.test(error.message)
  );
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
