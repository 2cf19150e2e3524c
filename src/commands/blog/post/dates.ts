const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Milliseconds since midnight. */
  readonly ms: number;
  /** Minutes east of UTC, or null if the text does not say. */
  readonly offset: number | null;
}

const clock = String.raw`(?:(?:[Tt]|,?\s+(?:at\s+)?)(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?\s*(?<half>[AaPp]\.?[Mm]\.?)?)?`;
const zone = String.raw`(?:\s*(?<zone>[Zz]|UTC|GMT|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?))?`;
const weekday = String.raw`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?`;

/** What to do about a date that cannot be read. */
export const writeDates = 'write dates as 2024-01-31 or 2024-01-31 09:00';

/** No form in which day and month could be taken for each other. */
const forms = [
  // 2013-05-06 2:12:52 +0200, 2024/7/8, 2024-07-08T10:00Z
  String.raw`(?<year>\d{4})([-/.])(?<month>\d{1,2})\2(?<day>\d{1,2})${clock}${zone}`,
  // Jul 08 2024, July 8th, 2024 10:00 PM
  String.raw`${weekday}(?<name>[a-z]{3,9})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})${clock}${zone}`,
  // Mon, 08 Jul 2024 10:00:00 GMT
  String.raw`${weekday}(?<day>\d{1,2})(?:st|nd|rd|th)?\.?[\s-]+(?<name>[a-z]{3,9})\.?,?[\s-]+(?<year>\d{4})${clock}${zone}`,
  // Mon Jul 08 2024 10:00:00 GMT+0200 (CEST), Mon Jul 8 10:00:00 2024
  String.raw`${weekday}(?<name>[a-z]{3,9})\s+(?<day>\d{1,2})\s+(?<year>\d{4})${clock}${zone}\s*\([^)]*\)`,
].map((form) => new RegExp(`^${form}$`, 'i'));

/**
 * A date as blogs write it, in epoch milliseconds, or null if it cannot be read. One without a zone is in `timeZone` (IANA),
 * never in the machine's; one without a time is its first moment there.
 */
export function readDate(text: string, timeZone: string): number | null {
  const parts = partsOf(text.trim());
  if (parts === null) return null;
  const { year, month, day, ms, offset } = parts;
  const local = Date.UTC(year, month - 1, day) + ms;
  const time = offset === null ? local - offsetAt(local, timeZone) : local - offset * 60_000;
  return Number.isNaN(time) ? null : time;
}

function partsOf(text: string): Parts | null {
  for (const form of forms) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) continue;
    const { name, half, zone: zoneText } = groups;
    const [year, day] = [Number(groups.year), Number(groups.day)];
    const month = name === undefined ? Number(groups.month) : monthOf(name);
    const [minute, second] = [Number(groups.minute ?? 0), Number(groups.second ?? 0)];
    const hour = hourOf(Number(groups.hour ?? 0), half);
    const isReal =
      month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
    const offset = offsetOf(zoneText);
    if (
      !isReal ||
      year < 1000 ||
      hour === null ||
      hour > 23 ||
      minute > 59 ||
      second > 59 ||
      Number.isNaN(offset)
    )
      return null;
    const milliseconds = Math.trunc(Number(`0.${groups.fraction ?? 0}`) * 1000);
    return { year, month, day, ms: ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds, offset };
  }
  return null;
}

/** `Jul`, `Sept`, `July`. */
function monthOf(name: string): number {
  const long = [
    'january',
    'february',
    'march',
    'april',
    'may',
    'june',
    'july',
    'august',
    'september',
    'october',
    'november',
    'december',
  ];
  const word = name.toLowerCase();
  if (word === 'sept') return 9;
  return Math.max(months.indexOf(word), long.indexOf(word)) + 1;
}

function hourOf(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

/** Minutes east of UTC; null where nothing is said. */
function offsetOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{1,2}):?(\d\d)?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  const total = Number(hours) * 60 + Number(minutes);
  return Number(hours) > 14 || Number(minutes) > 59 ? Number.NaN : total * (sign === '-' ? -1 : 1);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds that the clocks of a zone are ahead of UTC when they show `local`. */
function offsetAt(local: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const guess = ahead(local, timeZone);
  return ahead(local - guess, timeZone);
}

function ahead(time: number, timeZone: string): number {
  const known = formats.get(timeZone);
  const options = { timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const format =
    known ??
    new Intl.DateTimeFormat('en', { ...options, hour: 'numeric', minute: 'numeric', second: 'numeric' });
  if (known === undefined) formats.set(timeZone, format);
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const shown = Date.UTC(
    part.year ?? 0,
    (part.month ?? 1) - 1,
    part.day,
    part.hour,
    part.minute,
    part.second,
  );
  return shown - Math.floor(time / 1000) * 1000;
}
