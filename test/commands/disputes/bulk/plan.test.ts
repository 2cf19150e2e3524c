import { expect, test } from 'vitest';
import { withoutColors } from '../../../../src/cli/output/palette.ts';
import { describeRows, describeTotals } from '../../../../src/commands/disputes/bulk/describe-plan.ts';
import type { PlannedRow } from '../../../../src/commands/disputes/bulk/plan.ts';

const row: PlannedRow = {
  line: 2,
  disputeId: '5f0cbead-0000-4000-8000-000000000002',
  decision: { status: 'won', resolution: `Tracking shows ${'that it was delivered '.repeat(9)}` },
  plan: 'decide',
  message: '',
  warning: null,
  before: {},
};

test('at 80 columns a decision takes one line, a reason is whole, and rows that are done are only counted', () => {
  const rows: PlannedRow[] = [
    row,
    {
      ...row,
      line: 13,
      disputeId: '81abbead',
      plan: 'conflict',
      message: `a reason ${'that is long '.repeat(4)}`,
    },
    { ...row, line: 14, plan: 'recorded' },
  ];
  const style = { color: withoutColors, width: 80 };
  expect(describeRows(rows, style).split('\n')).toEqual([
    'LINE  PLAN      DISPUTE   STATUS  RESOLUTION OR REASON',
    '13    conflict  81abbead  won     a reason that is long that is long that is',
    '                                  long that is long',
    '2     decide    5f0cbead  won     Tracking shows that it was delivered that it …',
  ]);
  expect(describeTotals(rows, style)).toBe('1 to decide, 1 decided in an earlier run, 1 conflict');
  const twelve = Array.from({ length: 12 }, () => rows[1] ?? row);
  expect(describeTotals(twelve, style)).toBe('12 conflicts');
});

test('rows that cannot be decided leave all ids short, and their own reason is readable', () => {
  const id = '5f0cbead-0000-4000-8000-000000000002';
  const bad = { ...row, decision: null, before: null };
  const rows: PlannedRow[] = [
    row,
    { ...bad, line: 3, disputeId: `${id} x`, plan: 'invalid', message: 'disputeId must not contain spaces' },
    { ...bad, line: 4, disputeId: `${id}0`, plan: 'not_found', message: 'not found in this store' },
  ];
  expect(describeRows(rows, { color: withoutColors, width: 80 }).split('\n').slice(1)).toEqual([
    '3     invalid    5f0cbead          disputeId must not contain spaces',
    '4     not found  5f0cbead          not found in this store',
    '2     decide     5f0cbead  won     Tracking shows that it was delivered that it…',
  ]);
});
