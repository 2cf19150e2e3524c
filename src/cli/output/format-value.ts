import { isObject } from '../../base/json.ts';
import { printable, printableLines } from '../core/sanitize.ts';

/** What formatting depends on besides the value. */
export interface ValueContext {
  /** Epoch milliseconds, for "3 hours ago"; the present unless given. */
  readonly now?: number;
  /** ISO 4217 code of the amounts; null if unknown. */
  readonly currency?: string | null;
}

/**
 * Formats a field for people: times in local time with their distance from now, basis points as percentages, minor units
 * as amounts, lists with commas, objects as NAME=VALUE, as a flag takes them. Other values are shown as they are. The result is printable.
 */
export function formatValue(name: string, value: unknown, context: ValueContext = {}): string {
  const { now = Date.now(), currency = null } = context;
  if (typeof value === 'string') {
    return (name.endsWith('At') && formatTime(value, now)) || printableLines(value);
  }
  if (typeof value === 'number') {
    if (name.endsWith('Bp')) return `${value} bp (${Number((value / 100).toFixed(4))} %)`;
    if (name.endsWith('Minor')) return formatMinor(value, currency);
    return String(value);
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((item) => formatValue('', item, context)).join(', ');
  if (isObject(value)) {
    return Object.entries(value)
      .map(([key, item]) => `${printable(key)}=${formatValue(key, item, context)}`)
      .join(', ');
  }
  return printable(JSON.stringify(value) ?? '');
}

/** `2026-11-21 06:30 +01:00 (3 hours ago)` in the local zone, or null if `text` is not a time. */
export function formatTime(text: string, now: number): string | null {
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time)) return null;
  return `${localMinute(new Date(time))} (${formatDistance(time - now)})`;
}

/** `2026-11-21 06:30 +01:00` in the local zone; what is not a time stays as it is. */
export function formatMinute(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : localMinute(new Date(time));
}

/**
 * `in 3 days`, `2 hours ago`, `just now`; the distance is in milliseconds, negative for the past. A unit is used from two of it on:
 * a deadline in 58 days is not one in a month.
 */
export function formatDistance(distance: number): string {
  // A deadline that was seven days away a moment ago is not one in six days.
  const precision = distance > 86_400_000 ? 3_600_000 : 60_000;
  const amount = distance > 0 ? Math.round(distance / precision) * precision : -distance;
  if (amount < 60_000) return distance > 0 ? 'in less than a minute' : 'just now';
  const { unit, count } = inUnits(amount, units, 2);
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return distance > 0 ? `in ${words}` : `${words} ago`;
}

/** `now`, `5m`, `3h`, `12d`, `2y`: an age in milliseconds for a narrow column. */
export function formatAge(ageMs: number): string {
  if (ageMs < 60_000) return 'now';
  // Months would look like minutes.
  const { unit, count } = inUnits(
    ageMs,
    units.filter(([name]) => name !== 'month'),
  );
  return `${count}${unit.charAt(0)}`;
}

type Unit = readonly [name: string, ms: number];

/** With leap days: a date far away would be off by years otherwise. */
const yearMs = 365.2425 * 86_400_000;

const minute: Unit = ['minute', 60_000];
const units: readonly Unit[] = [
  ['year', yearMs],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  minute,
];

/** A time span in the largest unit of which it has as many as `least`. */
function inUnits(
  ms: number,
  known: readonly Unit[],
  least = 1,
): { readonly unit: string; readonly count: number } {
  const [unit, length] = known.find(([, size]) => ms >= least * size) ?? minute;
  return { unit, count: Math.floor(ms / length) };
}

function localMinute(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const offset = -date.getTimezoneOffset();
  const size = Math.abs(offset);
  const zone =
    offset === 0 ? 'UTC' : `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())} ${zone}`;
}

/** `500 (5.00 EUR)`. Currencies differ in their number of decimals, so an unknown one is not converted. */
function formatMinor(amount: number, currency: string | null): string {
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) return String(amount);
  const digits =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  return `${amount} (${(amount / 10 ** digits).toFixed(digits)} ${currency})`;
}
