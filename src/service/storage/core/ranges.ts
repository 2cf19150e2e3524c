/**
 * Positions from the first to the last, both included; null: up to the newest. In order, they neither overlap nor touch, and
 * only the last may be open.
 */
export type Ranges = readonly (readonly [first: number, last: number | null])[];

/** Ranges whose end is known. */
export type ClosedRanges = readonly (readonly [first: number, last: number])[];

/** Replaces the open end by the newest position. */
export function closed(ranges: Ranges, newest: number): ClosedRanges {
  return ranges
    .map(([first, last]) => [first, last ?? newest] as const)
    .filter(([first, last]) => first <= last);
}

export function includes(ranges: Ranges, position: number): boolean {
  return ranges.some(([first, last]) => first <= position && (last === null || position <= last));
}

/** The positions that are in any of them. */
export function union(...all: readonly ClosedRanges[]): ClosedRanges {
  const joined: [number, number][] = [];
  for (const [first, last] of all.flat().sort(([a], [b]) => a - b)) {
    const previous = joined.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

/** The positions from 1 to `newest` that are in none of them. */
export function outside(ranges: ClosedRanges, newest: number): ClosedRanges {
  const gaps: [number, number][] = [];
  let next = 1;
  for (const [first, last] of union(ranges)) {
    if (next < first) gaps.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= newest) gaps.push([next, newest]);
  return gaps;
}

/** Those positions, and everything that comes after the newest. */
export function andLater(ranges: ClosedRanges, newest: number): Ranges {
  const last = ranges.at(-1);
  if (last === undefined || last[1] < newest) return [...ranges, [newest + 1, null]];
  return [...ranges.slice(0, -1), [last[0], null]];
}

function countOf(ranges: ClosedRanges): number {
  return ranges.reduce((total, [first, last]) => total + last - first + 1, 0);
}

/** How many positions are in `ranges` and not in `others`. */
export function countWithout(ranges: ClosedRanges, others: ClosedRanges): number {
  return countOf(union(ranges, others)) - countOf(others);
}

/** Up to `count` of the positions below `before`, the greatest first. */
export function greatestBelow(ranges: ClosedRanges, before: number, count: number): number[] {
  const found: number[] = [];
  for (const [first, last] of ranges.toReversed()) {
    for (let position = Math.min(last, before - 1); position >= first; position--) {
      if (found.length === count) return found;
      found.push(position);
    }
  }
  return found;
}
