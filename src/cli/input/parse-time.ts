const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000 };
const unitDays: Readonly<Record<string, number>> = { day: 1, week: 7 };

/** Examples for messages. */
export const timeExamples = '2026-12-01, 2026-12-01 09:00, in 3 days, 2 hours ago';

/**
 * A time as people type it, as RFC 3339 in UTC, or null if it cannot be understood or does not exist. Times without a
 * zone are local, a date alone is 00:00, and relative times are rounded to the minute. RFC 3339 stays as it is.
 * `now` is in epoch milliseconds.
 */
export function parseTime(text: string, now: number): string | null {
  const typed = text.trim();
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(typed)) {
    if (!hasValidDate(typed)) return null;
    const isRfc3339 = typed[10] === 'T' && /:\d\d:\d\d/.test(typed);
    return isRfc3339 ? typed : toUtc(new Date(typed));
  }
  const date = parseLocal(typed.toLowerCase()) ?? parseRelative(typed.toLowerCase(), now);
  return date === null ? null : toUtc(date);
}

/** `Date` accepts 30 February. */
function hasValidDate(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return (
    day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate() && !Number.isNaN(Date.parse(text))
  );
}

/** `2026-12-01`, `2026-12-01 09:00`. */
function parseLocal(text: string): Date | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d?):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const date = new Date(year, month - 1, day, hours, minutes, seconds);
  // `Date` turns a time that the clocks skip, 25:00 and 30 February into another time.
  const isSame = date.getHours() === hours && date.getMinutes() === minutes && date.getSeconds() === seconds;
  return isSame && date.getMonth() === month - 1 && date.getDate() === day ? date : null;
}

/** `in 3 days`, `2 hours ago`. */
function parseRelative(text: string, now: number): Date | null {
  const pattern = /^(in )?(\d{1,4}) (minute|hour|day|week)s?( ago)?$/;
  const [, ahead, amount = '', unit = '', ago] = pattern.exec(text) ?? [];
  if ((ahead === undefined) === (ago === undefined)) return null;
  const count = Number(amount) * (ago === undefined ? 1 : -1);
  const date = new Date(Math.floor(now / 60_000) * 60_000 + count * (unitMs[unit] ?? 0));
  // Days keep the time of day when the clocks change.
  date.setDate(date.getDate() + count * (unitDays[unit] ?? 0));
  return date;
}

function toUtc(date: Date): string {
  return date.toISOString().replace('.000Z', 'Z');
}
