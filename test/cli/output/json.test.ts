import { describe, expect, test } from 'vitest';
import { formatJson } from '../../../src/cli/core/json-text.ts';
import { answer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

const storeId = '4be5c0de-0000-4000-8000-000000000001';

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
