import { describe, expect, onTestFinished, test } from 'vitest';
import { formatDistance, formatTime, formatValue } from '../../../src/cli/output/format-value.ts';

describe('values', () => {
  const now = Date.parse('2030-01-31T09:00:00Z');
  const eur = { now, currency: 'EUR' };

  test.each([
    ['cashbackBp', 250, 'EUR', '250 bp (2.5 %)'],
    ['rateBp', 1900, null, '1900 bp (19 %)'],
    ['rateBp', 1, null, '1 bp (0.01 %)'],
    ['cashbackCapMinor', 1500, 'EUR', '1500 (15.00 EUR)'],
    ['cashbackCapMinor', 1500, 'JPY', '1500 (1500 JPY)'],
    ['cashbackCapMinor', 1500, 'BHD', '1500 (1.500 BHD)'],
    ['cashbackCapMinor', 1500, null, '1500'],
    ['cashbackCapMinor', 1500, 'euro', '1500'],
    ['viewCount', 1e6, 'EUR', '1000000'],
    ['enabled', true, null, 'yes'],
    ['enabled', false, null, 'no'],
    ['tags', ['a', 'b'], null, 'a, b'],
    ['tags', [], null, ''],
    ['createdAt', 'some day', null, 'some day'],
    ['createdAt', '2030-99-99T09:00:00Z', null, '2030-99-99T09:00:00Z'],
    ['name', '2030-01-31T09:00:00Z', null, '2030-01-31T09:00:00Z'],
  ] as const)('%s: %j in %s is %j', (name, value, currency, shown) => {
    expect(formatValue(name, value, { now, currency })).toBe(shown);
  });

  test.each([
    [0, 'just now'],
    [29_999, 'in less than a minute'],
    [-59_999, 'just now'],
    [60_000, 'in 1 minute'],
    [-2 * 3_600_000, '2 hours ago'],
    [3 * 86_400_000, 'in 3 days'],
    [7 * 86_400_000 - 120_000, 'in 7 days'],
    [90 * 60_000, 'in 90 minutes'],
    [-40 * 3_600_000, '40 hours ago'],
    [-30 * 86_400_000, '30 days ago'],
    [58 * 86_400_000, 'in 58 days'],
    [61 * 86_400_000, 'in 2 months'],
    [-500 * 86_400_000, '16 months ago'],
    [800 * 86_400_000, 'in 2 years'],
    // 23 November 2026 to the last day of 9999.
    [2_912_116 * 86_400_000, 'in 7973 years'],
  ])('%d ms is %s', (distance, words) => {
    expect(formatDistance(distance)).toBe(words);
  });

  test.each([
    ['UTC', '2030-01-31 11:00 UTC (in 2 hours)'],
    ['Asia/Kolkata', '2030-01-31 16:30 +05:30 (in 2 hours)'],
    ['America/New_York', '2030-01-31 06:00 -05:00 (in 2 hours)'],
  ])('a time is shown in local time with its zone and how soon: %s', (zone, expected) => {
    const before = process.env.TZ;
    onTestFinished(() => {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    });
    process.env.TZ = zone;
    const time = new Date(now + 2 * 3_600_000).toISOString();

    expect(formatTime(time, now)).toBe(expected);
    expect(formatValue('createdAt', time, eur)).toBe(expected);
  });
});
