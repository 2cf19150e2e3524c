/** ISO 8601, UTC, milliseconds: the form of every stored and answered time. Such times sort as text. */
export function timestamp(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}

export function daysInMs(days: number): number {
  return days * 24 * 60 * 60 * 1000;
}
