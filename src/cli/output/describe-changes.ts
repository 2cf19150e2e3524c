import { isDeepStrictEqual } from 'node:util';
import { leafPaths, valueAt } from '../../base/json.ts';
import type { FieldChange } from '../core/json-changes.ts';
import type { Printable } from '../core/sanitize.ts';
import { formatDistance, formatValue, type ValueContext } from './format-value.ts';
import { labelOf } from './labels.ts';
import type { Style } from './style.ts';
import type { Row } from './tables.ts';

/** A row for each field: `Quiet hours start  22:00 → 23:00`. A group that was added or removed has those of its fields. */
export function rowsOfChanges(changes: readonly FieldChange[]): Row[] {
  return changes.flatMap(({ path, before, after }) =>
    leafPaths(after ?? before, path).map((leaf): Row => {
      const name = leaf.at(-1) ?? '';
      const [from, to] = [before, after].map((value) =>
        valueOrNone(name, valueAt(value, leaf.slice(path.length))),
      );
      return [labelOf(leaf), `${from} → ${to}`];
    }),
  );
}

/** The rows as text. What draws tables is loaded on demand: it takes as long as Node's own start. */
export async function drawRecord(rows: readonly Row[], style: Style): Promise<Printable> {
  const { renderRecord } = await import('./tables.ts');
  return renderRecord(rows, style);
}

/** A value for people: `not set` for none. */
export function valueOrNone(name: string, value: unknown, values: ValueContext = {}): string {
  if (value === undefined || value === null) return 'not set';
  return value === '' ? 'empty' : formatValue(name, value, values);
}

/**
 * One line for each field that is set: `Name  Outlet 5  (was Outlet 2, last seen 5 minutes ago)`. `before` is what was seen,
 * which is not what is; `seenAt` is null for what was read right now.
 */
export function rowsOfSeenChanges(
  changes: readonly FieldChange[],
  values: ValueContext,
  seenAt: string | null,
): Row[] {
  const age = seenAt === null ? '' : `, last seen ${formatDistance(Date.parse(seenAt) - Date.now())}`;
  return changes.map(({ path, before, after }) => {
    const name = path.at(-1) ?? '';
    const text = valueOrNone(name, after, values);
    const isOther = before !== undefined && !isDeepStrictEqual(before, after ?? null);
    return [labelOf(path), isOther ? `${text}  (was ${valueOrNone(name, before, values)}${age})` : text];
  });
}
