/** Milliseconds since some moment; only ever goes forward. Not `performance`, which Node loads when it is first used. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
