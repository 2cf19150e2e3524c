import { openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answer } from '../helpers/fault-server.ts';
import { newProgramMachine } from '../helpers/program.ts';
import { setScene } from '../helpers/scene.ts';
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

test('what was applied stays open if not even the error could be written, and resume reports it once', async () => {
  const machine = newProgramMachine();
  const create = 'storectl --demo backup create --label x --sections store';

  expect(await machine.shell(`${create} > /dev/full 2>&1`)).toMatchObject({ exitCode: 12 });

  const { stdout } = await machine.run(['--demo', 'resume']);
  expect(stdout).toMatch(/^applied +\w+ +backup\.create +x /);
  expect((await machine.run(['--demo', 'resume'])).stderr).toContain('Nothing to resume.');
});

test('an outcome that resume cannot print stays open', async () => {
  const { server, machine } = await setScene({ built: true, answers: [answer(422, { code: 'slug_taken' })] });
  const update = 'storectl store update --slug taken --json';
  expect(await machine.shell(`${update} > /dev/full 2>&1`)).toMatchObject({ exitCode: 7 });
  expect(await machine.shell('storectl resume > /dev/full')).toMatchObject({ exitCode: 7 });
  const { stdout } = await machine.run(['resume']);
  expect(stdout).toMatch(/^failed +\w+ +store\.update .*not applied: /);
  expect((await machine.run(['resume'])).stderr).toContain('Nothing to resume.');
  expect(server.requests).toHaveLength(1);
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
