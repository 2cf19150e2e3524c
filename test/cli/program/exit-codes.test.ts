import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitCodeOfStatus, exitCodes } from '../../../src/cli/core/exit-codes.ts';
import { newMachine } from '../../helpers/cli.ts';

/** The table of docs/exit-codes.md: code, meaning, and whether anything was applied. */
const rows = [...readFileSync('docs/exit-codes.md', 'utf8').matchAll(/^\| (\d+) \| (.+) \| (.+) \|$/gm)].map(
  ([, code, meaning = '', applied = '']) => ({ code: Number(code), meaning, applied }),
);

test('the documentation, the help and the manual name every exit code, and no other', async () => {
  const codes = Object.values(exitCodes);
  expect(rows.map(({ code }) => code)).toEqual(codes);

  const { stdout: help } = await newMachine().run(['help', 'exit-codes']);
  expect([...help.matchAll(/^ {2}(\d+) +[A-Z]/gm)].map(([, code]) => Number(code))).toEqual(codes);

  const manual = readFileSync('man/storectl.1', 'utf8');
  for (const { code } of rows) expect(manual).toMatch(new RegExp(`^\\.B ${code}$`, 'm'));
});

test('each code says truly whether anything was applied', () => {
  const { done, bug, unknown, outputFailed, usage, inputNeeded, localState, cancelled } = exitCodes;
  const expected = (code: number) => {
    if (code === done || code === outputFailed) return 'yes';
    if (code === bug) return 'see the message';
    if (code === unknown) return 'perhaps';
    const nothingSent: readonly number[] = [usage, inputNeeded, localState, cancelled];
    return nothingSent.includes(code) ? 'no, nothing sent' : 'no';
  };
  expect(rows.map(({ code, applied }) => [code, applied])).toEqual(
    rows.map(({ code }) => [code, expected(code)]),
  );
});

test('each HTTP status that the documentation names for a refusal has that exit code', () => {
  const named = rows.flatMap(({ code, meaning }) =>
    // What is said of reads alone is another matter.
    [...meaning.replace(/; for reads[^)]*/, '').matchAll(/\b[345]\d\d\b/g)].map(([status]) => [
      Number(status),
      code,
    ]),
  );
  expect(named).toEqual(named.map(([status = 0]) => [status, exitCodeOfStatus(status)]));
  expect(named.map(([status]) => status)).toEqual([401, 403, 404, 410, 409, 412, 425, 429]);
  expect([501, 505, 511, 400, 422].map(exitCodeOfStatus)).toEqual([9, 9, 9, 7, 7]);
});
