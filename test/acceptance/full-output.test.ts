import { openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newProgramMachine } from '../helpers/program.ts';
import { typed } from '../helpers/typed.ts';

test('a full standard output is exit 12, and the error says what was applied', async () => {
  const machine = newProgramMachine();

  const { exitCode, stderr } = await machine.run(
    ['--demo', 'backup', 'create', '--label', 'x', '--sections', 'store'],
    {
      stdoutFile: openSync('/dev/full', 'w'),
    },
  );

  expect(stderr).toContain('no space left on device');
  expect(stderr).not.toContain('node:');
  expect(exitCode).toBe(12);
  const { stdout } = await machine.run(['--demo', 'history', 'list', '--json']);
  const [record] = JSON.parse(stdout);
  expect(record).toMatchObject({ operation: 'backup.create', state: 'applied' });
  expect(stderr).toContain(`storectl --demo history show ${record.id}`);

  // That counts as reported, and a backup is about now: the same command takes another one.
  const again = await machine.run(typed`--demo backup create --label x --sections store -q`);
  expect(again).toMatchObject({ exitCode: 0, stderr: '' });
  expect(again.stdout.trim()).not.toBe(record.result);
  expect(JSON.parse((await machine.run(['--demo', 'history', 'list', '--json'])).stdout)).toHaveLength(2);
});

test.each([['--version'], ['--help'], ['backup', 'create', '--help'], ['completion', 'bash']])(
  'the same for what needs no parser: %s %s %s',
  async (...args) => {
    const machine = newProgramMachine();

    const { exitCode, stderr } = await machine.run(args, { stdoutFile: openSync('/dev/full', 'w') });

    expect(stderr).toMatch(/^error: [^\n]*no space left on device\n/);
    expect(stderr.includes('the command itself succeeded')).toBe(args[0] === 'completion');
    expect(exitCode).toBe(11);
  },
);

test('a read that cannot be printed has no record to look at', async () => {
  const machine = newProgramMachine();

  const { exitCode, stderr } = await machine.run(['--demo', 'settings', 'show'], {
    stdoutFile: openSync('/dev/full', 'w'),
  });

  expect(stderr).toMatch(/no space left on device\n {2}the command itself succeeded\n$/);
  expect(exitCode).toBe(11);
});
