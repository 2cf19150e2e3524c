import { stripVTControlCharacters } from 'node:util';
import { Chalk } from 'chalk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { shortenId } from '../../../src/cli/command/short-id.ts';
import { formatJson } from '../../../src/cli/core/json-text.ts';
import { printable, printableJson, printableLines } from '../../../src/cli/core/sanitize.ts';
import { formatDistance, formatTime, formatValue } from '../../../src/cli/output/format-value.ts';
import type { Palette } from '../../../src/cli/output/style.ts';
import { styleOf, withoutColors } from '../../../src/cli/output/style.ts';
import { renderRecord, renderTable, rowsOf } from '../../../src/cli/output/tables.ts';
import { wrapText } from '../../../src/cli/output/wrap.ts';
import { type Machine, machineFor } from '../../helpers/cli.ts';
import { answer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

const storeId = '4be5c0de-0000-4000-8000-000000000001';
const apiKey = 'any-key-of-another-service';

/** ESC sequences, C1 controls, bidirectional overrides, zero-width characters, line separators. */
const hostile =
  'a\u001b[31mred\u001b]0;title\u0007\u009b2J\u202eevil\u2066x\u200b\u2028y\u0000\r\u007f\ufeff\u{e0041}z';
const unsafe =
  /(?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

describe('hostile text', () => {
  test('is made visible, and readable text stays', () => {
    expect(printable(hostile)).not.toMatch(unsafe);
    expect(printable('\u001b[31m')).toBe('\\u001b[31m');
    expect(printable('a\nb')).toBe('a\\u000ab');
    expect(printable('Grüße, 日本語, 👩‍🔬 \u05e9\u05dc\u05d5\u05dd')).toBe(
      'Grüße, 日本語, 👩‍🔬 \u05e9\u05dc\u05d5\u05dd',
    );
    expect(printableLines('a\r\n\tb\rc')).toBe('a\n\tb\\u000dc');
  });

  test('in JSON is escaped, and the value stays the same', () => {
    const value = { [hostile]: [hostile], lone: '\ud800' };

    const text = printableJson(JSON.stringify(value));

    expect(text).not.toMatch(unsafe);
    expect(JSON.parse(text)).toEqual(value);
  });

  test('from the service reaches no terminal: record, table, JSON, fields, id, debug', async () => {
    const body = {
      record: {
        id: '5f0cbead-0000-4000-8000-000000000001',
        status: hostile,
        reason: hostile,
        [hostile]: hostile,
      },
      evidence: [
        { id: hostile, kind: hostile, label: hostile, textValue: `${hostile}\nline`, submittedBy: hostile },
      ],
      [hostile]: 1,
    };
    const { machine } = await setScene({ answers: [answer(200, body, { 'x-note': 'a\u009b2Jb' })] });

    for (const flags of [[], ['--json'], ['--fields', 'record,evidence'], ['-q'], ['--debug']]) {
      const { exitCode, stdout, stderr } = await machine.run([
        'disputes',
        'show',
        '5f0cbead-0000-4000-8000-000000000001',
        ...flags,
      ]);
      expect(exitCode).toBe(0);
      if (!flags.includes('-q')) expect(stdout).toContain('u001b[31mred');
      expect(stdout).not.toMatch(unsafe);
      expect(stderr).not.toMatch(unsafe);
    }
  });

  test('in an error reaches no terminal', async () => {
    const body = { code: hostile, detail: hostile, errors: [{ pointer: `/${hostile}`, detail: hostile }] };
    const { machine } = await setScene({ answers: [answer(422, body, { 'x-request-id': 'a\u009bb' })] });

    for (const flags of [[], ['--json'], ['--debug']]) {
      const { exitCode, stdout, stderr } = await machine.run(['store', 'update', '--name', 'x', ...flags]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 7, stdout: '' });
      expect(stderr).toContain('u001b');
      expect(stderr).not.toMatch(unsafe);
    }
  });

  test('in what the user typed is shown safely, too', async () => {
    const { exitCode, stderr } = await machineFor({ origin: 'https://h', storeId, apiKey }).run(
      typed`settings show --timeout ${hostile}`,
    );

    expect(exitCode).toBe(2);
    expect(stderr).not.toMatch(unsafe);
  });
});

describe('JSON', () => {
  test.each([
    [
      '{"a":1.0,"b":12345678901234567890,"c":1e400,"d":-0}',
      '{"a":1.0,"b":12345678901234567890,"c":1e400,"d":-0}',
    ],
    ['{ "z" : 1 ,\n"a":[ ], "a":{ }, "b":[ 1 , 2 ] }', '{"z":1,"a":[],"a":{},"b":[1,2]}'],
    [
      ' "text with \\"quotes\\", [brackets] and: {braces}" ',
      '"text with \\"quotes\\", [brackets] and: {braces}"',
    ],
    ['null', 'null'],
    ['[[],[{}]]', '[[],[{}]]'],
  ])('keeps numbers, order and repeated fields of %s', (json, compact) => {
    expect(formatJson(json, 'compact')).toBe(compact);
    expect(formatJson(formatJson(json, 'pretty'), 'compact')).toBe(compact);
  });

  test('is indented in a terminal as people expect it', () => {
    const value = { a: [1, { b: null }], empty: {}, none: [], text: 'x: {y}, [z]' };

    expect(formatJson(JSON.stringify(value), 'pretty')).toBe(JSON.stringify(value, null, 2));
  });

  test.each([
    ['quietHours.start', { quietHours: { start: '22:00' } }],
    ['env, quietHours.enabled', { env: 'live', quietHours: { enabled: true } }],
    ['tiers.name', { tiers: { name: ['a', 'b', null] } }],
    ['tiers', { tiers: [{ name: 'a' }, { name: 'b' }, {}] }],
    ['odd\\.name', { 'odd.name': 1 }],
    ['discovery.summary', { discovery: { summary: null } }],
  ])('--fields %s', async (fields, expected) => {
    const body = {
      quietHours: { enabled: true, start: '22:00' },
      env: 'live',
      tiers: [{ name: 'a' }, { name: 'b' }, {}],
      'odd.name': 1,
    };
    const { machine } = await setScene({ answers: [answer(200, body)] });

    const { exitCode, stdout, stderr } = await machine.run(typed`settings show --fields ${fields}`);

    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${JSON.stringify(expected)}\n`);
    expect(stderr).toMatch(
      fields === 'discovery.summary'
        ? /^unknown field: discovery\.summary \(the response has: .*\)\n$/
        : /^$/,
    );
  });
});

test('an answer that is nested deeper than the stack is shown, and the exit code stays 0', async () => {
  const deep = `{"id":"${storeId}","riskSignals":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  const { machine } = await setScene({ answers: [answer(201, deep)] });

  for (const flags of [[], ['--json'], ['--fields', 'riskSignals']]) {
    const { exitCode, stdout } = await machine.run(['disputes', 'open', '--reason', 'r', '--new', ...flags]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('[[[[[[');
  }
  expect(formatJson(deep, 'pretty').length).toBeLessThan(20_000 * 500);
});

describe('values', () => {
  const now = Date.parse('2030-01-31T09:00:00Z');
  const eur = { now, currency: 'EUR' };

  test.each([
    ['cashbackBp', 250, 'EUR', '250 bp (2.5 %)'],
    ['rateBp', 1900, null, '1900 bp (19 %)'],
    ['rateBp', 1, null, '1 bp (0.01 %)'],
    ['cashbackCapMinor', 1500, 'EUR', '1500 (15.00 EUR)'],
    ['cashbackCapMinor', 1500, 'JPY', '1500 (1500 JPY)'],
    ['cashbackCapMinor', 1500, 'BHD', '1500 (1.500 BHD)'],
    ['cashbackCapMinor', 1500, null, '1500'],
    ['cashbackCapMinor', 1500, 'euro', '1500'],
    ['viewCount', 1e6, 'EUR', '1000000'],
    ['enabled', true, null, 'yes'],
    ['enabled', false, null, 'no'],
    ['tags', ['a', 'b'], null, 'a, b'],
    ['tags', [], null, ''],
    ['createdAt', 'some day', null, 'some day'],
    ['createdAt', '2030-99-99T09:00:00Z', null, '2030-99-99T09:00:00Z'],
    ['name', '2030-01-31T09:00:00Z', null, '2030-01-31T09:00:00Z'],
  ] as const)('%s: %j in %s is %j', (name, value, currency, shown) => {
    expect(formatValue(name, value, { now, currency })).toBe(shown);
  });

  test.each([
    [0, 'just now'],
    [29_999, 'in less than a minute'],
    [-59_999, 'just now'],
    [60_000, 'in 1 minute'],
    [-2 * 3_600_000, '2 hours ago'],
    [3 * 86_400_000, 'in 3 days'],
    [7 * 86_400_000 - 120_000, 'in 7 days'],
    [-45 * 86_400_000, '1 month ago'],
    [800 * 86_400_000, 'in 2 years'],
    // 23 November 2026 to the last day of 9999.
    [2_912_116 * 86_400_000, 'in 7973 years'],
  ])('%d ms is %s', (distance, words) => {
    expect(formatDistance(distance)).toBe(words);
  });

  test.each([
    ['UTC', '2030-01-31 11:00 UTC (in 2 hours)'],
    ['Asia/Kolkata', '2030-01-31 16:30 +05:30 (in 2 hours)'],
    ['America/New_York', '2030-01-31 06:00 -05:00 (in 2 hours)'],
  ])('a time is shown in local time with its zone and how soon: %s', (zone, expected) => {
    const before = process.env.TZ;
    onTestFinished(() => {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    });
    process.env.TZ = zone;
    const time = new Date(now + 2 * 3_600_000).toISOString();

    expect(formatTime(time, now)).toBe(expected);
    expect(formatValue('createdAt', time, eur)).toBe(expected);
  });
});

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

  test('disputes are told apart by reason, and by case where one is known, also at 80 columns', async () => {
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

describe('--debug', () => {
  test('shows the exchange on stderr, without the key anywhere', async () => {
    const body = { id: storeId, echo: `your key is ${apiKey}` };
    const { server, machine } = await setScene({
      answers: [answer(200, body, { 'x-echo': `Bearer ${apiKey}` })],
    });

    const result = await machine.run(typed`store update --name x --debug`);

    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(`> PATCH ${server.url}/v1/stores/${storeId} (attempt 1)`);
    expect(result.stderr).toContain('> authorization: Bearer [redacted]');
    expect(result.stderr).toContain('> {"name":"x"}');
    expect(result.stderr).toMatch(/^< 200 after \d+ ms$/m);
    expect(result.stderr).toContain('< x-echo: Bearer [redacted]');
    expect(result.stderr).toContain('your key is [redacted]');
    expect(result.stderr).not.toContain(apiKey);
    expect(result.stdout).not.toContain('> ');
  });

  test('STORECTL_DEBUG does the same', async () => {
    const { machine } = await setScene({ answers: [answer(200, {})] });

    const { stderr } = await machine.run(['settings', 'show'], {
      env: { STORECTL_DEBUG: '1' },
    });

    expect(stderr).toContain('> GET ');
  });
});

test('--dry-run shows the request to people as well, and records nothing', async () => {
  const machine = machineFor({ origin: 'https://api.example.com', storeId, apiKey });

  const result = await machine.run(['store', 'update', '--name', 'x', '--dry-run']);

  expect(result).toEqual({
    exitCode: 0,
    stdout: `PATCH https://api.example.com/v1/stores/${storeId}
authorization: Bearer [redacted]
accept: application/json
content-type: application/json

{
  "name": "x"
}
`,
    stderr: 'dry run: nothing was sent\n',
  });
  expect((await machine.run(['history', 'list', '--json'])).stdout).toBe('[]\n');
});

test.each([
  [
    ['settings', 'save', '--quiet-hours-enabled'],
    /To see the changes, run `storectl settings diff` with the same flags/,
  ],
  [
    ['backup', 'restore', id, '--sections', 'store', '--confirm', id],
    /a safety backup of the same sections is taken first/,
  ],
])('%j --dry-run says what else would be sent', async (args, note) => {
  const machine = machineFor({ origin: 'https://api.example.com', storeId, apiKey });

  const result = await machine.run([...args, '--dry-run', '--json']);

  expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(note) });
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

test('a command in backticks is never broken, because it is copied', () => {
  expect(wrapText('fix the file; run `storectl disputes decide --from a.csv` again', 30)).toBe(
    'fix the file; run\n`storectl disputes decide --from a.csv`\nagain',
  );
});

test('wrapped lines keep their indentation', () => {
  expect(wrapText('3 failed:\n  line 2: status is empty', 18)).toBe(
    '3 failed:\n  line 2: status\n  is empty',
  );
});

test('a colored word wider than the terminal is broken, and its color is not', () => {
  const { red } = new Chalk({ level: 1 });
  const wrapped = wrapText(red(`/state/${'a'.repeat(30)} is empty`), 20);
  expect(stripVTControlCharacters(wrapped)).toBe(`/state/${'a'.repeat(13)}\n${'a'.repeat(17)} is\nempty`);
  expect(wrapped).toContain('\u001b[31m');
});

test('what follows a flag stays in its column', () => {
  expect(wrapText('  --status TEXT  Outcome of the dispute, such as won', 40)).toBe(
    '  --status TEXT  Outcome of the dispute,\n                 such as won',
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
