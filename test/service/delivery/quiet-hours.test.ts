import { describe, expect, test } from 'vitest';
import { type QuietHours, quietHoursEnd } from '../../../src/service/delivery/quiet-hours.ts';

function quiet(start: string, end: string, timezone: string): QuietHours {
  return { enabled: true, start, end, timezone };
}

function endOf(hours: QuietHours, at: string): string | null {
  const end = quietHoursEnd(hours, Date.parse(at));
  return end === null ? null : new Date(end).toISOString().replace(':00.000Z', 'Z');
}

const night = (timezone: string) => quiet('22:00', '07:00', timezone);
const berlin = (start: string, end: string) => quiet(start, end, 'Europe/Berlin');
const newYork = (start: string, end: string) => quiet(start, end, 'America/New_York');
const lordHowe = (start: string, end: string) => quiet(start, end, 'Australia/Lord_Howe');

describe('when messages are held, and until when', () => {
  test.each([
    // Across midnight. Berlin is an hour ahead of UTC in winter.
    ['before they begin', night('Europe/Berlin'), '2030-01-10T20:59:59.999Z', null],
    ['as they begin', night('Europe/Berlin'), '2030-01-10T21:00Z', '2030-01-11T06:00Z'],
    ['before midnight', night('Europe/Berlin'), '2030-01-10T22:59Z', '2030-01-11T06:00Z'],
    ['after midnight', night('Europe/Berlin'), '2030-01-10T23:01Z', '2030-01-11T06:00Z'],
    ['just before their end', night('Europe/Berlin'), '2030-01-11T05:59:59.999Z', '2030-01-11T06:00Z'],
    ['at their end', night('Europe/Berlin'), '2030-01-11T06:00Z', null],
    ['across the new year', night('Europe/Berlin'), '2030-12-31T22:30Z', '2031-01-01T06:00Z'],
    ['across the 29th of February', night('UTC'), '2028-02-29T23:00Z', '2028-03-01T07:00Z'],
    // Within a day.
    ['at noon', quiet('12:00', '13:30', 'Asia/Kolkata'), '2030-01-10T06:30Z', '2030-01-10T08:00Z'],
    ['before noon', quiet('12:00', '13:30', 'Asia/Kolkata'), '2030-01-10T06:29Z', null],
    ['after noon', quiet('12:00', '13:30', 'Asia/Kolkata'), '2030-01-10T08:00Z', null],
    ['from midnight', quiet('00:00', '06:00', 'Asia/Kolkata'), '2030-01-09T18:30Z', '2030-01-10T00:30Z'],
    ['to midnight', quiet('18:00', '00:00', 'Asia/Kolkata'), '2030-01-10T18:29Z', '2030-01-10T18:30Z'],
    ['all but a minute', quiet('08:01', '08:00', 'UTC'), '2030-01-10T08:01Z', '2030-01-11T08:00Z'],
    ['that minute', quiet('08:01', '08:00', 'UTC'), '2030-01-10T08:00Z', null],
    // Zones far from UTC, where the day is another.
    ['in Kiribati', night('Pacific/Kiritimati'), '2030-01-10T08:00Z', '2030-01-10T17:00Z'],
    ['in Samoa', night('Pacific/Pago_Pago'), '2030-01-10T09:00Z', '2030-01-10T18:00Z'],
    ['in Chatham', night('Pacific/Chatham'), '2030-06-10T09:15Z', '2030-06-10T18:15Z'],
    // Spring: in Berlin 02:00 becomes 03:00 on 31 March 2030, in New York on 10 March.
    ['the short night', night('Europe/Berlin'), '2030-03-30T21:00Z', '2030-03-31T05:00Z'],
    ['the night before it', night('Europe/Berlin'), '2030-03-29T21:00Z', '2030-03-30T06:00Z'],
    ['the short night', night('America/New_York'), '2030-03-10T03:00Z', '2030-03-10T11:00Z'],
    ['an end that is skipped', berlin('22:00', '02:30'), '2030-03-31T00:59Z', '2030-03-31T01:00Z'],
    ['after a skipped end', berlin('22:00', '02:30'), '2030-03-31T01:00Z', null],
    ['before a skipped start', berlin('02:30', '05:00'), '2030-03-31T00:59Z', null],
    ['a start that is skipped', berlin('02:30', '05:00'), '2030-03-31T01:00Z', '2030-03-31T03:00Z'],
    ['both skipped', berlin('02:15', '02:45'), '2030-03-31T01:00Z', null],
    ['an end that is skipped', newYork('22:00', '02:30'), '2030-03-10T06:59Z', '2030-03-10T07:00Z'],
    // Autumn: in Berlin 03:00 becomes 02:00 on 27 October 2030, in New York 02:00 becomes 01:00 on 3 November.
    ['the long night', night('Europe/Berlin'), '2030-10-26T20:00Z', '2030-10-27T06:00Z'],
    ['the long night', night('America/New_York'), '2030-11-03T02:00Z', '2030-11-03T12:00Z'],
    ['an end shown twice counts once', berlin('22:00', '02:30'), '2030-10-27T00:29Z', '2030-10-27T00:30Z'],
    ['between both', berlin('22:00', '02:30'), '2030-10-27T00:45Z', null],
    ['in the second hour', berlin('22:00', '02:30'), '2030-10-27T01:15Z', null],
    ['a start shown twice counts once', berlin('02:30', '05:00'), '2030-10-27T00:30Z', '2030-10-27T04:00Z'],
    ['in the second hour', berlin('02:30', '05:00'), '2030-10-27T01:10Z', '2030-10-27T04:00Z'],
    ['New York, first', newYork('00:30', '01:30'), '2030-11-03T05:29Z', '2030-11-03T05:30Z'],
    ['New York, second', newYork('00:30', '01:30'), '2030-11-03T06:15Z', null],
    // Lord Howe moves by half an hour, on 6 October 2030 from 02:00 to 02:30.
    ['half an hour skipped', lordHowe('22:00', '02:15'), '2030-10-05T15:29Z', '2030-10-05T15:30Z'],
    // Samoa had no 30 December 2011: the clocks went from the end of the 29th to the start of the 31st.
    ['a skipped day', quiet('12:00', '18:00', 'Pacific/Apia'), '2011-12-30T10:30Z', null],
    ['the night before it', night('Pacific/Apia'), '2011-12-30T09:00Z', '2011-12-30T10:00Z'],
    ['the night after it', night('Pacific/Apia'), '2011-12-30T10:00Z', '2011-12-30T17:00Z'],
  ])('%s (%o, %s)', (_, hours, at, end) => {
    expect(endOf(hours, at)).toBe(end);
  });

  test('never when they are off, or begin when they end', () => {
    for (let hour = 0; hour < 24; hour++) {
      const at = `2030-01-10T${String(hour).padStart(2, '0')}:00Z`;
      expect(endOf({ ...night('UTC'), enabled: false }, at)).toBeNull();
      expect(endOf(quiet('12:00', '12:00', 'UTC'), at)).toBeNull();
    }
  });

  test('for any zone and time the end is later, at most a day and a clock change away, and not quiet', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Africa/Cairo',
    ];
    const times = ['00:00', '01:30', '02:30', '07:45', '23:59'];
    for (const zone of zones) {
      for (const [index, start] of times.entries()) {
        const hours = quiet(start, times[(index + 2) % times.length] ?? '', zone);
        for (
          let at = Date.parse('2030-01-01T00:00Z');
          at < Date.parse('2031-01-01T00:00Z');
          at += 37 * 3_600_000
        ) {
          const end = quietHoursEnd(hours, at);
          if (end === null) continue;
          expect(end).toBeGreaterThan(at);
          expect(end - at).toBeLessThanOrEqual(25 * 3_600_000);
          expect(quietHoursEnd(hours, end)).toBeNull();
        }
      }
    }
  });
});
