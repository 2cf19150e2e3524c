/** ISO 8601 in UTC with milliseconds, the format of every stored and returned time. Such texts sort by time. */
export function timestamp(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}

export function daysInMs(days: number): number {
  return days * 24 * 60 * 60 * 1000;
}
