import { expect, test } from 'vitest';
import { machineFor } from '../helpers/cli.ts';
import { startService } from '../helpers/service.ts';

/** The lines of stderr after the one that says where the change goes. */
function notices({ stderr }: { readonly stderr: string }): string[] {
  return stderr.trimEnd().split('\n').slice(1);
}

test('store update says what happened and shows only what changed, from the second time on with before', async () => {
  const machine = machineFor(await startService());

  const first = await machine.run(['store', 'update', '--name', 'A & B', '--cashback-bp', '250']);
  const second = await machine.run(['store', 'update', '--name', 'A & B', '--cashback-bp', '300']);

  expect(first.stdout).toBe('Name      A & B\nCashback  250 bp (2.5 %)\n');
  expect(notices(first)).toEqual([
    '✓ Updated store "A & B"',
    'No undo: the previous values are not known on this machine.',
  ]);
  expect(second.stdout).toBe('Cashback  250 bp (2.5 %) → 300 bp (3 %)\n');
  expect(notices(second)).toEqual([
    '✓ Updated store "A & B"',
    expect.stringMatching(/^Undo: storectl --profile \w+ store update --undo \S+$/),
  ]);
});

test('store update --undo puts back what this machine knew, and clears what was not set', async () => {
  const machine = machineFor(await startService());
  await machine.run(['store', 'update', '--name', 'Before', '--set', 'settings.maintenanceMessage=null']);
  const changed = await machine.run([
    'store',
    'update',
    '--name',
    'After',
    '--maintenance-message',
    'Closed',
  ]);
  const [, id = ''] = /--undo (\S+)/.exec(changed.stderr) ?? [];

  const undone = await machine.run(['store', 'update', '--undo', id]);

  expect(undone).toMatchObject({
    exitCode: 0,
    stdout: 'Name                 After → Before\nMaintenance message  Closed → not set\n',
  });
  const refused = await machine.run(['store', 'update', '--undo', id, '--name', 'x']);
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('cannot be used with fields'),
  });
});

test('after a restore this machine no longer knows the store, so nothing is said about before', async () => {
  const machine = machineFor(await startService());
  await machine.run(['store', 'update', '--name', 'A']);
  const { stdout } = await machine.run(['backup', 'create', '--label', 'x', '--sections', 'store', '-q']);
  const id = stdout.trim();
  await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);

  const updated = await machine.run(['store', 'update', '--name', 'B']);

  expect(updated.stdout).toBe('Name  B\n');
  expect(updated.stderr).not.toContain('Undo');
});

test('settings save shows before and after by labels, and how to undo it', async () => {
  const machine = machineFor(await startService());

  const saved = await machine.run(['settings', 'save', '--quiet-hours-start', '21:00']);

  expect(saved.stdout).toBe('Quiet hours start  22:00 → 21:00\n');
  expect(notices(saved)).toEqual([
    '✓ Saved the operations settings',
    expect.stringMatching(/^Undo: storectl --profile \w+ settings save --undo \S+$/),
  ]);
});

test('a restore ends with what was restored and one command that undoes it; the rest is in --json', async () => {
  const machine = machineFor(await startService());
  const args = ['backup', 'create', '--label', 'nightly', '--sections', 'store,blog'];
  const { stdout } = await machine.run([...args, '-q']);
  const id = stdout.trim();
  const restore = ['backup', 'restore', id, '--sections', 'store,blog', '--confirm', id];

  const restored = await machine.run(restore);
  const json = await machine.run([...restore, '--json']);

  expect(restored.stdout).toBe('');
  expect(notices(restored).slice(-2)).toEqual([
    `✓ Restored store, blog from backup ${id} ("nightly")`,
    expect.stringMatching(/^Undo: storectl .* backup restore \S+ --sections store,blog --confirm \S+$/),
  ]);
  expect(restored.stderr).not.toMatch(/sha256|preRestore/);
  expect(JSON.parse(json.stdout)).toHaveProperty('preRestoreBackupId');
});

test.each([
  [['notify', 'mark-read', '--all'], '✓ Marked all notifications as read'],
  [['notify', 'mark-read', 'a', 'b'], '✓ Marked 2 notifications as read'],
  [['notify', 'mark-read', 'a'], '✓ Marked notification a as read'],
])('%j says what it did and prints nothing else', async (args, line) => {
  const machine = machineFor(await startService());
  const result = await machine.run(args);
  expect(result).toMatchObject({ exitCode: 0, stdout: '' });
  expect(notices(result)).toEqual([line]);
  expect((await machine.run([...args, '-q'])).stderr).not.toContain('✓');
});
