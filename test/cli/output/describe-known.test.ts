import { expect, test } from 'vitest';
import { describeKnown } from '../../../src/cli/output/describe-known.ts';

test('a choice is one line: line breaks and runs of blanks become one blank', () => {
  const fields = { status: 'open', reason: 'Parcel never\narrived.\n\n  Refund  it.\n' };
  const now = Date.parse('2026-11-22T12:00:00Z');
  expect(describeKnown('dispute', { fields, seenAt: '2026-11-22T10:00:00Z' }, now)).toBe(
    'open, Parcel never arrived. Refund it., 2 hours ago',
  );
});
