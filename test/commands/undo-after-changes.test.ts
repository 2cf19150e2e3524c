import { expect, test } from 'vitest';
import { machineFor } from '../helpers/cli.ts';
import { startService } from '../helpers/service.ts';

type Machine = ReturnType<typeof machineFor>;

/** Changes something; resolves with the id of its record. */
async function change(machine: Machine, ...args: readonly string[]): Promise<string> {
  const { stderr } = await machine.run(args);
  return /--undo (\S+)/.exec(stderr)?.[1] ?? '';
}

async function changesIn(machine: Machine): Promise<number> {
  return JSON.parse((await machine.run(['history', 'list', '--json'])).stdout).length;
}

test('store update --undo refuses to overwrite a later change of the same field', async () => {
  const machine = machineFor(await startService());
  await machine.run(['store', 'update', '--name', 'A']);
  const undone = await change(machine, 'store', 'update', '--name', 'B');
  await machine.run(['store', 'update', '--name', 'C']);

  const refused = await machine.run(['store', 'update', '--undo', undone]);

  expect(refused).toMatchObject({ exitCode: 6, stdout: '' });
  expect(refused.stderr).toMatch(/changed again since \S+:\nName {2}B → C\nnothing was sent/);
  expect(await changesIn(machine)).toBe(3);
});

test('store update --undo a second time sends nothing', async () => {
  const machine = machineFor(await startService());
  await machine.run(['store', 'update', '--name', 'A']);
  const undone = await change(machine, 'store', 'update', '--name', 'B');
  await machine.run(['store', 'update', '--undo', undone]);

  const again = await machine.run(['store', 'update', '--undo', undone]);

  expect(again).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringContaining('The store already has these values; nothing was sent.'),
  });
  expect(await changesIn(machine)).toBe(3);
});

test('settings save --undo keeps later changes of other fields, and refuses to overwrite those of its own', async () => {
  const machine = machineFor(await startService());
  const undone = await change(machine, 'settings', 'save', '--quiet-hours-start', '20:00');
  await machine.run(['settings', 'save', '--quiet-hours-end', '09:00']);

  expect(await machine.run(['settings', 'save', '--undo', undone])).toMatchObject({
    exitCode: 0,
    stdout: 'Quiet hours start  20:00 → 22:00\n',
  });
  const again = await machine.run(['settings', 'save', '--undo', undone]);
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Already undone') });

  await machine.run(['settings', 'save', '--quiet-hours-start', '19:00']);
  const sent = await changesIn(machine);
  const refused = await machine.run(['settings', 'save', '--undo', undone]);
  expect(refused).toMatchObject({ exitCode: 6, stdout: '' });
  expect(refused.stderr).toContain('Quiet hours start  20:00 → 19:00');
  expect(await changesIn(machine)).toBe(sent);
});

test('store update with the values that the store has says that nothing changed, and offers no undo', async () => {
  const machine = machineFor(await startService());
  await machine.run(['store', 'update', '--name', 'A', '--cashback-bp', '100']);

  const same = await machine.run(['store', 'update', '--name', 'A']);

  expect(same).toMatchObject({ exitCode: 0, stdout: '' });
  expect(same.stderr).toMatch(/^No changes; the store already had these values\.$/m);
  expect(same.stderr).not.toContain('Undo');
  expect(same.stderr).not.toContain('Updated');
  const changed = await machine.run(['store', 'update', '--name', 'A', '--cashback-bp', '200']);
  expect(changed.stderr).toMatch(/Updated store "A"\nUndo: /);
});
