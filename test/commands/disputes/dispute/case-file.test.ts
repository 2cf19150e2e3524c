import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import type { Palette } from '../../../../src/cli/output/style.ts';
import { withoutColors } from '../../../../src/cli/output/style.ts';
import { describeDispute } from '../../../../src/commands/disputes/dispute/case-file.ts';
import { describeTimeline } from '../../../../src/commands/disputes/dispute/timeline.ts';
import { setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

const now = Date.parse('2030-01-31T12:00:00Z');
const pipe = { color: new Chalk({ level: 0 }) as Palette, width: null };
const terminal = { color: new Chalk({ level: 1 }) as Palette, width: 60 };
const inHours = (hours: number) => new Date(now + hours * 3_600_000).toISOString();

test('what the contract does not know is shown at the end, below what it knows', () => {
  const record = { id: 'd-1', newField: [{ deep: 1 }], riskSignals: { score: { total: 7 } } };
  const evidence = [{ id: 'e-1', label: 'First', weight: 3 }];

  expect(describeDispute({ record, evidence, meta: { page: 1 } }, pipe, now)).toMatch(
    /Score total +7\n(.*\n)*1\. First\n(.*\n)* +Weight +3\n(.*\n)* +New field +\[\{"deep":1\}\]\n +Meta page +1$/,
  );
});

test.each([
  [-1, '31m', 'overdue'],
  [23, '31m', 'urgent, less than 24 hours left'],
  [71, '33m', 'soon, less than 72 hours left'],
])('a deadline in %i hours is shown by color and in words', (hours, color, words) => {
  const answer = { record: { status: 'open', deadlineAt: inHours(hours) }, evidence: [] };

  expect(describeDispute(answer, { ...terminal, width: 200 }, now)).toMatch(new RegExp(`${color}.*${words}`));
  expect(describeDispute(answer, pipe, now)).toContain(words);
});

test('a deadline that is far off, or of a dispute that is decided, is not urgent', () => {
  const far = { record: { status: 'open', deadlineAt: inHours(73) }, evidence: [] };
  const decided = { record: { status: 'won', deadlineAt: inHours(-1) }, evidence: [] };

  for (const answer of [far, decided])
    expect(describeDispute(answer, pipe, now)).not.toMatch(/overdue|urgent|soon/);
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

describe('the deadlines as a line in time', () => {
  const record = {
    status: 'open',
    createdAt: inHours(-14 * 24),
    deadlineAt: inHours(9 * 24),
    appealDeadlineAt: inHours(23 * 24),
  };
  const lineAt = (width: number, given: object = record) =>
    describeTimeline({ ...given }, now, { color: withoutColors, width }).split('\n');

  test('each time stands above its day, in proportion', () => {
    expect(lineAt(80)).toEqual([
      'Opened                 Today          Deadline               Appeal deadline',
      '●━━━━━━━━━━━━━━━━━━━━━━◆──────────────●──────────────────────●',
      '17 Jan                 31 Jan         9 Feb                  23 Feb',
    ]);
  });

  test.each([40, 60, 80, 120])('it fits %i columns', (width) => {
    const lines = lineAt(width);
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.min(width, 80));
  });

  test('times that are close keep their labels apart', () => {
    const [labels = '', marks = ''] = lineAt(80, {
      ...record,
      createdAt: inHours(-1),
      deadlineAt: inHours(1),
      appealDeadlineAt: inHours(2400),
    });
    expect(labels).toMatch(/^Opened {2}Today {2}Deadline +Appeal deadline$/);
    expect(marks).toMatch(/^●━+◆─+●─+●$/);
  });

  test('there is no timeline in a pipe, for a screen reader, or without a deadline', () => {
    const style = { color: withoutColors, width: 80 };
    expect(describeTimeline(record, now, { ...style, width: null })).toBe('');
    expect(describeTimeline(record, now, { ...style, plain: true })).toBe('');
    expect(describeTimeline({ createdAt: record.createdAt }, now, style)).toBe('');
  });
});

test('a dispute is shown before it is decided, without a terminal too', async () => {
  const { service, machine } = await setScene();
  const id = service.example.disputes.find(({ status }) => status === 'open')?.id ?? '';

  const decide = typed`disputes decide ${id} --status won --resolution r --confirm ${id}`;
  const { stderr } = await machine.run(decide);

  expect(stderr).toMatch(/^1\. Parcel number \[tracking_number\]\n(.*\n)+ *00340434161094042557$/m);
});
