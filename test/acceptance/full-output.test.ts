import { openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newProgramMachine } from '../helpers/program.ts';

test('a standard output that is full: exit 12, and the same command reports what was applied', async () => {
  const machine = newProgramMachine();

  const { exitCode, stderr } = await machine.run(
    ['--demo', 'backup', 'create', '--label', 'x', '--sections', 'store'],
    {
      stdoutFile: openSync('/dev/full', 'w'),
    },
  );

  expect(stderr).toContain('the disk is full');
  expect(stderr).not.toContain('node:');
  expect(exitCode).toBe(12);
  const { stdout } = await machine.run(['--demo', 'history', 'list', '--json']);
  const [record] = JSON.parse(stdout);
  expect(record).toMatchObject({ operation: 'backup.create', state: 'applied' });
  expect(stderr).toContain(`storectl --demo history show ${record.id}`);

  const again = await machine.run(['--demo', 'backup', 'create', '--label', 'x', '--sections', 'store']);
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(record.id) });
  const listed = await machine.run(['--demo', 'history', 'list', '--json']);
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
  // It has been told now, so the same command makes a second one.
  await machine.run(['--demo', 'backup', 'create', '--label', 'x', '--sections', 'store']);
  const second = await machine.run(['--demo', 'history', 'list', '--json']);
  expect(JSON.parse(second.stdout)).toHaveLength(2);
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
