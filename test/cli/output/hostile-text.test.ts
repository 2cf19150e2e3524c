import { describe, expect, test } from 'vitest';
import { printable, printableJson, printableLines } from '../../../src/cli/core/sanitize.ts';
import { machineFor } from '../../helpers/cli.ts';
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
