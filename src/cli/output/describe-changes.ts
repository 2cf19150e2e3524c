import { leafPaths } from '../../base/json.ts';
import { getPath } from '../core/field-path.ts';
import { type Change, sameJson } from '../core/json-changes.ts';
import { formatDistance, formatValue, type ValueContext } from './format-value.ts';
import { labelOf } from './labels.ts';
import type { Style } from './style.ts';
import { type Row, renderRecord } from './tables.ts';

/** A row for each field: `Quiet hours start  22:00 → 23:00`. A group that was added or removed has those of its fields. */
export function rowsOfChanges(changes: readonly Change[]): Row[] {
  return changes.flatMap(({ path, before, after }) =>
    leafPaths(after ?? before, path).map((leaf): Row => {
      const name = leaf.at(-1) ?? '';
      const [from, to] = [before, after].map((value) =>
        valueOrNone(name, getPath(value, leaf.slice(path.length))),
      );
      return [labelOf(leaf), `${from} → ${to}`];
    }),
  );
}

/** {@link rowsOfChanges} as text. */
export function describeChanges(changes: readonly Change[], style: Style): string {
  return renderRecord(rowsOfChanges(changes), style);
}

function valueOrNone(name: string, value: unknown, values: ValueContext = {}): string {
  if (value === undefined || value === null) return 'not set';
  return value === '' ? 'empty' : formatValue(name, value, values);
}

/** A field that is set, and what was seen in it before, if anything was. */
export interface SeenValue {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly seen?: unknown;
}

/**
 * One line for each field: `Name  Outlet 5  (was Outlet 2, last seen 5 minutes ago)`. What was seen is not what is; `seenAt` is
 * null for what was read right now.
 */
export function describeSeenChanges(
  fields: readonly SeenValue[],
  values: ValueContext,
  seenAt: string | null,
  style: Style,
): string {
  const age = seenAt === null ? '' : `, last seen ${formatDistance(Date.parse(seenAt) - Date.now())}`;
  const rows = fields.map(({ path, value, seen }) => {
    const name = path.at(-1) ?? '';
    const text = valueOrNone(name, value, values);
    const isOther = seen !== undefined && !sameJson(seen, value ?? null);
    return [
      labelOf(path),
      isOther ? `${text}  (was ${valueOrNone(name, seen, values)}${age})` : text,
    ] as const;
  });
  return renderRecord(rows, style);
}
