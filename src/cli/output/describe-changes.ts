import { leafPaths } from '../../base/json.ts';
import { getPath, parsePath } from '../core/field-path.ts';
import { type Change, sameJson } from '../core/json-changes.ts';
import { formatDistance, formatValue, type ValueContext } from './format-value.ts';
import { labelOf } from './labels.ts';
import type { Style } from './style.ts';
import { type Row, renderRecord } from './tables.ts';

/** A field that changed. `before` or `after` is undefined if the field was missing. */
export interface FieldChange {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** One line for each field: `Quiet hours start  22:00 → 23:00`. */
export function describeFieldChanges(changes: readonly FieldChange[], style: Style): string {
  return renderRecord(changes.map(rowOfChange), style);
}

function rowOfChange({ path, before, after }: FieldChange): Row {
  const name = path.at(-1) ?? '';
  return [labelOf(path), `${valueOrNone(name, before)} → ${valueOrNone(name, after)}`];
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

/** The changes for people, as {@link describeFieldChanges} shows them. */
export function describeChanges(changes: readonly Change[], style: Style): string {
  return renderRecord(rowsOfChanges(changes), style);
}

/** A row for each field. A group that was added or removed has those of its fields. */
export function rowsOfChanges(changes: readonly Change[]): Row[] {
  return changes.flatMap(({ path, before, after }) => {
    const parent = parsePath(path);
    return leafPaths(after ?? before, parent).map((leaf) => {
      const inner = leaf.slice(parent.length);
      return rowOfChange({ path: leaf, before: getPath(before, inner), after: getPath(after, inner) });
    });
  });
}
