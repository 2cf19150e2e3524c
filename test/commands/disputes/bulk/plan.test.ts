import { expect, test } from 'vitest';
import { withoutColors } from '../../../../src/cli/output/palette.ts';
import { describePlan, type PlannedRow } from '../../../../src/commands/disputes/bulk/plan.ts';

const row: PlannedRow = {
  line: 2,
  disputeId: '5f0cbead-0000-4000-8000-000000000002',
  decision: { status: 'won', resolution: `Tracking shows ${'that it was delivered '.repeat(9)}` },
  plan: 'decide',
  message: '',
  warning: null,
  before: null,
};

test('at 80 columns the plan has one line a row, and rows that are done are only counted', () => {
  const rows: PlannedRow[] = [
    row,
    {
      ...row,
      line: 13,
      plan: 'conflict',
      message: `the dispute is lost, not open; ${'and so on '.repeat(9)}`,
    },
    { ...row, line: 14, plan: 'recorded' },
  ];
  const lines = describePlan(rows, { color: withoutColors, width: 80 }).split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines).toEqual([
    'LINE  PLAN      DISPUTE        STATUS  RESOLUTION OR REASON',
    expect.stringMatching(/^2 {5}decide {4}5f0cbead-000… {2}won {5}Tracking shows that.*…$/),
    expect.stringMatching(/^13 {4}conflict {2}5f0cbead-000… {10}the dispute is lost.*…$/),
    '',
    '1 to decide, 1 done before, 1 conflict',
  ]);
});
