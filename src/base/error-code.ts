/** The code of an error, such as ENOSPC or the SQLSTATE 40001; an empty string if what was thrown has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
