/** Exit codes of the program, the same with and without `--json`. An unknown code means failure. */
export const exitCodes = {
  done: 0,
  bug: 1,
  usage: 2,
  inputNeeded: 3,
  notAllowed: 4,
  notFound: 5,
  conflict: 6,
  rejected: 7,
  throttled: 8,
  notApplied: 9,
  unknown: 10,
  localState: 11,
  outputFailed: 12,
  cancelled: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What a refusal with this HTTP status means for the caller. */
export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.notAllowed;
  if (status === 404 || status === 410) return exitCodes.notFound;
  if (status === 409 || status === 412) return exitCodes.conflict;
  if (status === 425 || status === 429) return exitCodes.throttled;
  return status >= 500 ? exitCodes.notApplied : exitCodes.rejected;
}
