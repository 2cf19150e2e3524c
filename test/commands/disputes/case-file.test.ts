import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { describeDispute } from '../../../src/commands/disputes/case-file.ts';
import { machineFor } from '../../helpers/cli.ts';
import { startService } from '../../helpers/service.ts';
import { typed } from '../../helpers/typed.ts';

const now = Date.parse('2030-01-31T12:00:00Z');
const pipe = { color: new Chalk({ level: 0 }), width: null };
const terminal = { color: new Chalk({ level: 1 }), width: 60 };
const inHours = (hours: number) => new Date(now + hours * 3_600_000).toISOString();

test('what the contract does not know is shown at the end, below what it knows', () => {
  const record = { id: 'd-1', newField: [{ deep: 1 }], riskSignals: { score: { total: 7 } } };
  const evidence = [{ id: 'e-1', label: 'First', weight: 3 }];

  const shown = describeDispute({ record, evidence, meta: { page: 1 } }, pipe, now);

  expect(shown).toMatch(
    /Score total +7\n(.*\n)*1\. First\n(.*\n)* +Weight +3\n(.*\n)* +New field +\[\{"deep":1\}\]\n +Meta page +1$/,
  );
});

test.each([
  [23, '31m'],
  [71, '33m'],
])('a deadline in %i hours is marked by color', (hours, color) => {
  const answer = { record: { status: 'open', deadlineAt: inHours(hours) }, evidence: [] };

  expect(describeDispute(answer, { ...terminal, width: 200 }, now)).toMatch(
    new RegExp(`${color}.*in ${hours === 23 ? '23 hours' : '2 days'}`),
  );
});

test('long texts are wrapped to the terminal, and left alone in a pipe', () => {
  const text = 'word '.repeat(60).trim();
  const answer = { record: { status: 'open', reason: text }, evidence: [{ label: 'Mail', textValue: text }] };

  const lines = describeDispute(answer, terminal, now).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60 + 10);
  expect(describeDispute(answer, pipe, now).split(text)).toHaveLength(3);
});

test.each([
  null,
  'text',
  {},
  { record: 3, evidence: 'x' },
  { record: { reason: 5 }, evidence: [null, 7, 'x'] },
])('an answer of another shape is shown as far as it goes: %j', (answer) => {
  expect(describeDispute(answer, pipe, now)).toContain('Dispute');
});

test('a dispute is shown before it is decided, without a terminal too', async () => {
  const service = await startService();
  const id = service.example.disputes.find(({ status }) => status === 'open')?.id ?? '';

  const decide = typed`disputes decide ${id} --status won --resolution r --confirm ${id}`;
  const { stderr } = await machineFor(service).run(decide);

  expect(stderr).toMatch(/^1\. Parcel number \[tracking_number\]\n(.*\n)+ *00340434161094042557$/m);
});
