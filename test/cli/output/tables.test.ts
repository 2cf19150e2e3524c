import { stripVTControlCharacters } from 'node:util';
import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { shortenId } from '../../../src/cli/command/short-id.ts';
import { formatTime } from '../../../src/cli/output/format-value.ts';
import type { Palette } from '../../../src/cli/output/style.ts';
import { styleOf, withoutColors } from '../../../src/cli/output/style.ts';
import { renderRecord, renderTable, rowsOf } from '../../../src/cli/output/tables.ts';
import type { Machine } from '../../helpers/cli.ts';
import { answer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';

const id = '4be5c0de-0000-4000-8000-000000000001';
const words = 'several words that go on and on until no line of a terminal holds them any more';
const rows = [
  ['id', id],
  ['settings.checkout.requireEmailVerificationForDelivery', 'yes'],
  ['url', `https://example.com/${'path'.repeat(30)}`],
  ['text', words],
  ['wide', '日本語'.repeat(20)],
] as const;

/** Columns that a text takes in a terminal: East Asian characters take two. */
function displayWidth(line: string): number {
  return [...line].reduce((sum, character) => sum + (/[\u3000-\u9fff]/.test(character) ? 2 : 1), 0);
}

const lettersOf = (text: string) => text.replace(/\s/g, '').split('').sort().join('');

describe.each([40, 60, 80, 120])('in a terminal of %d columns', async (columns) => {
  const style = await styleOf({ isTTY: true, columns }, { NO_COLOR: '1' });

  test('a record fits, and nothing of it is lost', () => {
    const text = renderRecord(rows, style);

    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    expect(lettersOf(text)).toBe(lettersOf(rows.flat().join('')));
  });

  test.each([2, 4, 6])('a table of %d columns fits, and nothing of it is lost', (count) => {
    const header = ['id', 'text', 'state', 'result', 'created', 'where'].slice(0, count);
    const cells = [
      [id, words, 'open', id, '2030-01-31 09:00 (in 3 days)', 'x'],
      ['1', '', '日本語'.repeat(5), '-', '', words],
    ].map((row) => row.slice(0, count));

    const text = renderTable(header, cells, style);

    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    expect(missingFrom(text, [...header, ...cells.flat()])).toEqual([]);
    expect(text.split(id)).toHaveLength(cells.flat().filter((cell) => cell === id).length + 1);
  });
});

test('a long table has one header, and its columns stay where they are', () => {
  const cells = Array.from({ length: 250 }, (_, index) => ['x'.repeat(1 + (index % 7)), `row ${index}`]);

  const lines = renderTable(['id', 'name'], cells, { color: withoutColors, width: 80 }).split('\n');

  expect(lines[0]).toBe('ID       NAME');
  expect(lines.slice(1)).toEqual(cells.map(([id = '', name]) => `${id.padEnd(9)}${name}`));
});

/** The characters of `parts` of which `text` has too few; titles may be in capitals, and spaces do not count. */
function missingFrom(text: string, parts: readonly string[]): string[] {
  const left = [...text.toUpperCase()];
  return [...parts.join('').toUpperCase().replace(/\s/g, '')].filter((character) => {
    const at = left.indexOf(character);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** What a command prints in a terminal. */
async function runInTerminal(machine: Machine, args: readonly string[], columns: number, env = {}) {
  const { exitCode, stdout } = await machine.run(args, { columns, env: { PAGER: 'cat', ...env } });
  expect(exitCode).toBe(0);
  return stdout;
}

describe('a whole command', () => {
  const update = ['store', 'update', '--cashback-bp', '250', '--cashback-cap-minor', '1500'];

  test('fits a narrow terminal, in color, with units next to the numbers', async () => {
    const { machine } = await setScene();

    await machine.run(update);
    const colored = await runInTerminal(machine, ['store', 'show'], 80);
    const plain = await runInTerminal(machine, ['store', 'show'], 40, { NO_COLOR: '1' });
    const json = await runInTerminal(machine, [...update, '--set', 'name=y', '--json'], 40);

    expect(colored).toContain('\u001b[1m');
    expect(colored).toContain('250 bp (2.5 %)');
    expect(colored).toContain('1500 (15.00 EUR)');
    expect(plain).not.toContain('\u001b');
    for (const line of plain.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    expect(json).toBe(`${JSON.stringify(JSON.parse(json), null, 2)}\n`);
  });

  test('a list of disputes shows the reason, and the case where it is known, also at 80 columns', async () => {
    const { machine } = await setScene();
    const orderId = '5f0cbead-0000-4000-8000-000000000002';
    const open = async (...args: string[]) => {
      const reason = ['--reason', `${'The parcel did not arrive '.repeat(4)}${args[1]}`];
      const deadline = ['--deadline-at', '2040-05-06 09:00'];
      return (await machine.run(['disputes', 'open', ...reason, ...deadline, ...args, '-q'])).stdout.trim();
    };
    const [first, second] = [
      await open('--order-id', orderId),
      await open('--order-id', orderId, '--provider-case-id', 'PP-D-7'),
    ];
    const decision = ['--status', 'lost', '--resolution', 'No proof', '--confirm', first, '--no-input'];
    await machine.run(['disputes', 'decide', first, ...decision]);

    const lines = (await runInTerminal(machine, ['disputes', 'list', '--limit', '2'], 80, { NO_COLOR: '1' }))
      .trimEnd()
      .split('\n');
    const short = (id: string) => shortenId(id, [first, second]);
    expect(lines).toEqual([
      expect.stringMatching(/^ID +REASON +STATUS +DEADLINE +CASE +AGE$/),
      expect.stringMatching(`^${short(second)} +The parcel did.*… +open +in 13 years +PP-D-7 +now$`),
      expect.stringMatching(`^${short(first)} +The parcel did.*… +lost +in 13 years +- +now$`),
    ]);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    const json = JSON.parse(
      (await machine.run(['disputes', 'list', '--order-id', orderId, '--json'])).stdout,
    );
    expect(json).toMatchObject([
      { id: second, orderId, providerCaseId: 'PP-D-7' },
      { id: first, resolution: 'No proof', orderId, kind: 'payment' },
    ]);
  });

  test('in a pipe is the same table without color; FORCE_COLOR and NO_COLOR decide', async () => {
    const { machine } = await setScene();
    const show = ['settings', 'show'];

    const piped = await machine.run(show);
    const forced = await machine.run(show, { env: { FORCE_COLOR: '1' } });
    const both = await machine.run(show, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
    const off = await machine.run(show, { env: { FORCE_COLOR: '0' } });

    expect(piped.stdout).not.toContain('\u001b');
    expect(piped.stdout).toMatch(/^Quiet hours enabled +yes$/m);
    expect(forced.stdout).toContain('\u001b[1m');
    expect(stripVTControlCharacters(forced.stdout).replace(/ +/g, ' ')).toBe(
      piped.stdout.replace(/ +/g, ' '),
    );
    expect(both.stdout).toBe(piped.stdout);
    expect(off.stdout).toBe(piped.stdout);
  });
});

test('statuses, and deadlines that are near, are colored in tables and records; the words stay the same', () => {
  const style = { color: new Chalk({ level: 1 }) as Palette, width: 80 };
  const now = Date.now();
  const inHours = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
  const values = { now, currency: null };
  const record = { status: 'won', deadlineAt: inHours(50), appealDeadlineAt: inHours(500) };
  const cells = [['lost', formatTime(inHours(20), now) ?? '']];

  const shown = renderRecord(rowsOf(record, values), style);
  const table = renderTable(['status', 'deadline'], cells, style);

  expect(shown).toContain('\u001b[32mwon\u001b[39m');
  expect(shown).toMatch(/\[33m.*\(in 2 days\)/);
  expect(shown).toMatch(/ \d{4}-.*\(in 20 days\)$/);
  expect(table).toContain('\u001b[31mlost\u001b[39m');
  expect(table).toMatch(/\[31m\d{4}-.*\(in 20 hours\)/);
  expect(stripVTControlCharacters(shown)).toBe(
    renderRecord(rowsOf(record, values), { ...style, color: withoutColors }),
  );
});

test.each(['constructor', 'toString', '__proto__'])(
  'a field named %s is a field like any other',
  async (name) => {
    const { machine } = await setScene({
      answers: [
        answer(200, `{"quietHours":{"${name}":"x"},"${name}":"y"}`, { 'content-type': 'application/json' }),
      ],
    });

    const { exitCode, stdout } = await machine.run(['settings', 'show']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/ x\n(.*\n)*.* y\n/);
    expect(stdout).not.toMatch(/function|native code|\[object/i);
  },
);
