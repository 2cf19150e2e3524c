/** How long to wait after a failure, in milliseconds: twice as long after each, from `firstMs` up to `maxMs`. `failures` is from 1. */
export function backoffMs(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}
