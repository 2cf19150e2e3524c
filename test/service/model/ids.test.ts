import { expect, test } from 'vitest';
import { createId } from '../../../src/service/model/ids.ts';

test('ids are UUIDs of version 7 with the time at which they were made, and sort by it', () => {
  const from = Date.now();
  const ids: string[] = [];
  while (Date.now() < from + 3) ids.push(createId());
  const until = Date.now();

  expect(new Set(ids).size).toBe(ids.length);
  const times = ids.map((id) => id.slice(0, 18));
  expect(times).toEqual(times.toSorted());
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const millisecond = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    // The clock that they are made with does not follow the system's when that is set.
    expect(Math.abs(millisecond - (from + until) / 2)).toBeLessThan(60_000);
  }
});
