import type { SettingsDocument } from '../model/settings-document.ts';

export type QuietHours = SettingsDocument['quietHours'];

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * When the quiet hours at a time (epoch ms) end, or null outside of quiet hours. They begin when clocks in the zone first
 * show the start or a later time, and end when clocks first show the end or a later time. So an hour that clocks skip ends
 * them, and an hour that clocks show twice does not start or end them again. If start and end are equal, there are none.
 */
export function quietHoursEnd({ enabled, start, end, timezone }: QuietHours, at: number): number | null {
  if (!enabled || start === end) return null;
  const clock = wallClock(timezone);
  const today = Math.floor(clock(at) / dayMs) * dayMs;
  for (const day of [today - dayMs, today]) {
    const lastDay = start < end ? day : day + dayMs;
    const endsAt = firstShown(clock, lastDay + timeOfDay(end));
    if (firstShown(clock, day + timeOfDay(start)) <= at && at < endsAt) return endsAt;
  }
  return null;
}

/** The local time of a zone, as the epoch ms at which clocks in UTC show the same. */
type WallClock = (at: number) => number;

function wallClock(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (at) => {
    const shown = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute', number>;
    const withinMinute = ((at % minuteMs) + minuteMs) % minuteMs;
    return Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute) + withinMinute;
  };
}

/** The first time at which clocks show `shown` (see WallClock), or a later time if they skip it. */
function firstShown(clock: WallClock, shown: number): number {
  const offsetNear = (time: number) => clock(time) - time;
  const candidates = [offsetNear(shown - dayMs), offsetNear(shown + dayMs)].map((offset) => shown - offset);
  const matches = candidates.filter((at) => clock(at) === shown);
  if (matches.length > 0) return Math.min(...matches);

  // Clocks skip it: they are put forward between the two candidates, on a whole minute.
  let before = Math.min(...candidates);
  let after = Math.max(...candidates);
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (clock(middle) < shown) before = middle;
    else after = middle;
  }
  return after;
}

function timeOfDay(text: string): number {
  const [hours, minutes] = text.split(':').map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * minuteMs;
}
