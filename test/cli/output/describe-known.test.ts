import { expect, test } from 'vitest';
import { describeKnown } from '../../../src/cli/output/describe-known.ts';

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

test('an object is as old as it is, not as the last look at it; where that is unknown, the look counts', () => {
  const fields = { label: 'nightly', sections: ['store'] };
  const seenAt = hoursAgo(0);

  expect(describeKnown('backup', { fields: { ...fields, createdAt: hoursAgo(5) }, seenAt })).toBe(
    'nightly (store), 5 hours ago',
  );
  expect(describeKnown('backup', { fields, seenAt })).toBe('nightly (store), just now');
});
