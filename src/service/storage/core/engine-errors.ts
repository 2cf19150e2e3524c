import { errorCode } from '../../../base/error-code.ts';

/** Tests for errors of the engines that the service can handle. */

/** Another connection holds the lock of the embedded engine. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/.test(errorCode(error));
}

/** A unique index refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  return ['SQLITE_CONSTRAINT_UNIQUE', '23505'].includes(errorCode(error));
}

/** PostgreSQL aborted the transaction because of a conflict or deadlock with others. It may succeed when run again. */
export function isAborted(error: unknown): boolean {
  return ['40001', '40P01'].includes(errorCode(error));
}

/** PostgreSQL cannot be used now: unreachable, shutting down, out of connections, read-only, or a lock timed out. */
export function isUnavailable(error: unknown): boolean {
  return /^(?:08|53|57P0|55P03|25P03|25006)/.test(errorCode(error)) || isConnectionLost(error);
}

/** The connection broke: whether the last statement took effect is unknown. */
export function isConnectionLost(error: unknown): boolean {
  if (/^(?:08|57P0)/.test(errorCode(error))) return true;
  if (/^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)/.test(errorCode(error)))
    return true;
  // Errors of pg itself have no code.
  return error instanceof Error && /^(?:Connection terminated|timeout e|Client has)/i.test(error.message);
}
