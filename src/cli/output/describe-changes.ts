import { leafPaths } from '../../base/json.ts';
import { getPath, parsePath } from '../core/field-path.ts';
import { type Change, sameJson } from '../core/json-changes.ts';
import { formatDistance, formatValue, type ValueContext } from './format-value.ts';
import { labelOf } from './labels.ts';
import type { Style } from './style.ts';
import { renderRecord } from './tables.ts';

/** A field that changed. `before` or `after` is undefined if the field was missing. */
export interface FieldChange {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
  /** False if only the new value is known. Known unless given. */
  readonly isBeforeKnown?: boolean;
}

/** One line for each field: `Quiet hours start  22:00 → 23:00`. */
export function describeFieldChanges(
  changes: readonly FieldChange[],
  values: ValueContext,
  style: Style,
): string {
  const rows = changes.map(({ path, before, after, isBeforeKnown = true }) => {
    const name = path.at(-1) ?? '';
    const now = valueOrNone(name, after, values);
    const text = isBeforeKnown ? `${valueOrNone(name, before, values)} → ${now}` : now;
    return [labelOf(path), text] as const;
  });
  return renderRecord(rows, style);
}

function valueOrNone(name: string, value: unknown, values: ValueContext): string {
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
  const age = seenAt === null ? '' : `, last seen ${formatDistance(Date.parse(seenAt) - values.now)}`;
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

/** The changes for people: `Quiet hours start  22:00 → 23:00`. `now` is in epoch milliseconds. */
export function describeChanges(changes: readonly Change[], now: number, style: Style): string {
  const fields = changes.flatMap(({ path, before, after }) => {
    const parent = parsePath(path);
    // A group that was added or removed, by its fields.
    return leafPaths(after ?? before, parent).map((leaf) => {
      const inner = leaf.slice(parent.length);
      return { path: leaf, before: getPath(before, inner), after: getPath(after, inner) };
    });
  });
  return describeFieldChanges(fields, { now, currency: null }, style);
}
