import { expect, test } from 'vitest';
import { describeKnown } from '../../../src/cli/output/describe-known.ts';

test('a choice is one line: line breaks and runs of blanks become one blank', () => {
  const fields = { status: 'open', reason: 'Parcel never\narrived.\n\n  Refund  it.\n' };
  const seenAt = new Date(Date.now() - 2 * 3_600_000).toISOString();
  expect(describeKnown('dispute', { fields, seenAt })).toBe(
    'open, Parcel never arrived. Refund it., 2 hours ago',
  );
});
