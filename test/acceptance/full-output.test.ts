import { openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newProgramMachine } from '../helpers/program.ts';

test('a standard output that is full: exit 11, and the change is in the history', async () => {
  const machine = newProgramMachine();

  const { exitCode, stderr } = await machine.run(
    ['--demo', 'backup', 'create', '--label', 'x', '--sections', 'store'],
    {
      stdoutFile: openSync('/dev/full', 'w'),
    },
  );

  expect(stderr).toContain('the disk is full');
  expect(stderr).not.toContain('node:');
  expect(exitCode).toBe(11);
  const { stdout } = await machine.run(['--demo', 'history', 'list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ operation: 'backup.create', state: 'applied' }]);
});

test.each([['--version'], ['--help'], ['backup', 'create', '--help'], ['completion', 'bash']])(
  'the same for what needs no parser: %s %s %s',
  async (...args) => {
    const machine = newProgramMachine();

    const { exitCode, stderr } = await machine.run(args, { stdoutFile: openSync('/dev/full', 'w') });

    expect(stderr).toMatch(/^error: [^\n]*the disk is full\n/);
    expect(stderr.includes('was sent')).toBe(args[0] === 'completion');
    expect(exitCode).toBe(11);
  },
);
