import { expect, test } from 'vitest';
import { newMachine } from '../../helpers/cli.ts';
import { typed } from '../../helpers/typed.ts';

test.each([
  ['store', 'update', '--name', 'Juniper'],
  ['backup', 'create', '--label', 'one', '--sections', 'store'],
  ['disputes', 'open', '--reason', 'Parcel never arrived'],
  ['blog', 'create', '--title', 'News', '--content-md', 'Open again'],
])('%s %s -q prints the id on stdout and nothing on stderr', async (...args) => {
  const result = await newMachine().run(['--demo', ...args, '-q']);

  expect(result).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^[-0-9a-f]{36}\n$/), stderr: '' });
});

test('backup restore -q says nothing about the safety backup or the undo command', async () => {
  const machine = newMachine();
  const create = ['--demo', 'backup', 'create', '--label', 'one', '--sections', 'store', '-q'];
  const backupId = (await machine.run(create)).stdout.trim();

  const restore = ['--demo', 'backup', 'restore', backupId, '--sections', 'store', '--confirm', backupId];

  expect(await machine.run([...restore, '-q'])).toMatchObject({ exitCode: 0, stderr: '' });
});

test('-q prints errors, and nothing else, on stderr', async () => {
  const { exitCode, stdout, stderr } = await newMachine().run(
    typed`--demo disputes show 01985f2e-0000-7a16-9c48-5d1e3f82a6b4 -q`,
  );

  expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
  expect(stderr).toMatch(/^error: .*\n {2}\S/);
});
