import { expect, test } from 'vitest';
import { describeKnown } from '../../../src/cli/output/describe-known.ts';

test('a choice is one line: line breaks and runs of blanks become one blank', () => {
  const fields = { status: 'open', reason: 'Parcel never\narrived.\n\n  Refund  it.\n' };
  const seenAt = new Date(Date.now() - 2 * 3_600_000).toISOString();
  expect(describeKnown('dispute', { fields, seenAt })).toBe('open, Parcel never arrived. Refund it.');
});

test('what one has to know of a dispute is when it is due or how it ended, who opened it, and why', () => {
  const deadlineAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const fields = { status: 'open', deadlineAt, buyerEmail: 'a@mail.example', reason: 'Late' };
  const describe = (status: string) =>
    describeKnown('dispute', { fields: { ...fields, status }, seenAt: '' });
  expect(describe('open')).toBe('due in 3 days, a@mail.example, Late');
  expect(describe('won')).toBe('won, a@mail.example, Late');
});
