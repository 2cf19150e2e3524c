import { expect, test } from 'vitest';
import type { Machine } from '../helpers/cli.ts';
import { answer } from '../helpers/fault-server.ts';
import { setScene } from '../helpers/scene.ts';
import { seedChange } from '../helpers/seed-history.ts';

/** Changes something; resolves with the id of its record. */
async function change(machine: Machine, ...args: readonly string[]): Promise<string> {
  const { stderr } = await machine.run(args);
  return /undo (\S+)$/m.exec(stderr)?.[1] ?? '';
}

/** Makes or restores a backup of the store section; resolves with the id that `-q` prints. */
async function idOf(machine: Machine, ...args: readonly string[]): Promise<string> {
  return (await machine.run([...args, '--sections', 'store', '-q'])).stdout.trim();
}

async function changesIn(machine: Machine): Promise<number> {
  return JSON.parse((await machine.run(['history', 'list', '--json'])).stdout).length;
}

test('an update is taken back to the values from before it, and the undo can be undone', async () => {
  const { machine } = await setScene();
  await machine.run(['store', 'update', '--name', 'Before', '--set', 'settings.maintenanceMessage=null']);
  const id = await change(machine, 'store', 'update', '--name', 'After', '--maintenance-message', 'Closed');

  const undone = await machine.run(['undo', id]);

  expect(undone.stderr).toContain(`This takes back ${id} (store.update, just now):`);
  expect(undone.stderr).toContain(`✓ Undid ${id} (store.update)`);
  expect(undone.stderr).toMatch(/Name +After → Before/);
  const undoOfUndo = /undo (\S+)$/m.exec(undone.stderr)?.[1] ?? '';
  const again = await machine.run(['undo', id]);
  expect(again).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('was already undone') });
  expect((await machine.run(['undo', undoOfUndo])).exitCode).toBe(0);
});

test('without the former values nothing is sent, and the fields are named', async () => {
  const { machine } = await setScene({ answers: [answer(200, { name: 'A' })] });
  expect((await machine.run(['store', 'update', '--name', 'A'])).stderr).not.toContain('Undo:');
  const [{ id }] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);

  const refused = await machine.run(['undo', id, '--json']);

  expect(refused.exitCode).toBe(6);
  expect(refused.stderr).toContain('"field":"name"');
  expect(await changesIn(machine)).toBe(1);
});

test('saved settings are taken back at the changed paths only, and what was added goes', async () => {
  const { machine } = await setScene();
  const mine = ['--set', 'templates.mine.title=x', '--set', 'templates.mine.body=y'];
  const id = await change(machine, 'settings', 'save', '--quiet-hours-start', '20:00', ...mine);
  await machine.run(['settings', 'save', '--quiet-hours-end', '09:00']);
  const dry = JSON.parse((await machine.run(['undo', id, '--dry-run', '--json'])).stdout);
  const undone = await machine.run(['undo', id]);
  expect(undone).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('20:00 → 22:00') });
  expect(undone.stderr).toContain('Template mine');
  const saved = JSON.parse((await machine.run(['settings', 'show', '--json'])).stdout);
  expect(saved.quietHours).toMatchObject({ start: '22:00', end: '09:00' });
  expect(saved.templates).not.toHaveProperty('mine');
  expect(saved).toMatchObject(dry.body);
});

test('settings that have the former values already are left alone', async () => {
  const { machine } = await setScene();
  const id = await change(machine, 'settings', 'save', '--quiet-hours-start', '20:00');
  await machine.run(['settings', 'save', '--quiet-hours-start', '22:00']);
  const sent = await changesIn(machine);

  const undone = await machine.run(['undo', id, '--json']);

  expect(undone.exitCode).toBe(0);
  expect(JSON.parse(undone.stdout)).toMatchObject({ changed: false });
  expect(await changesIn(machine)).toBe(sent);
});

test('they are saved again where a change in doubt could still set others', async () => {
  const { access, machine } = await setScene();
  const id = await change(machine, 'settings', 'save', '--quiet-hours-start', '20:00');
  await machine.run(['settings', 'save', '--quiet-hours-start', '22:00']);
  const doubt = await seedChange(machine, access, {
    operation: 'settings.save',
    body: { quietHours: { start: '21:00' } },
    state: 'unknown',
  });

  const undone = await machine.run(['undo', id]);

  expect(undone.exitCode).toBe(0);
  const { supersededBy } = JSON.parse((await machine.run(['history', 'show', doubt.id, '--json'])).stdout);
  expect(supersededBy).not.toBeNull();
});

test('a restore is undone by its safety backup, after its id was repeated', async () => {
  const { machine } = await setScene();
  await machine.run(['store', 'update', '--name', 'A']);
  const backupId = await idOf(machine, 'backup', 'create', '--label', 'x');
  await machine.run(['store', 'update', '--name', 'B']);
  // The response of a restore has no id, so -q prints what the undo takes.
  const id = await idOf(machine, 'backup', 'restore', backupId, '--confirm', backupId);

  const asked = await machine.run(['undo', id]);
  expect(asked).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(`--confirm ${id}`) });
  const undone = await machine.run(['undo', id, '--confirm', id]);

  expect(undone).toMatchObject({ exitCode: 0, stdout: 'Store  restored: Name\n' });
  expect(undone.stderr).toMatch(
    /^This replaces the store section of store .* with backup \S+ \("Safety: x", just now\)\. A safety backup is taken first: undo goes back to it\.$/m,
  );
  expect(undone.stderr).toMatch(/^✓ Undid \w{6}: restored the store section from backup /m);
  const renamed = await machine.run(['store', 'update', '--cashback-bp', '1', '--json']);
  expect(JSON.parse(renamed.stdout)).toMatchObject({ name: 'B' });
});

test('a restore without a safety backup is not undone, but the service has backed up what it replaced', async () => {
  const { machine } = await setScene();
  const backupId = await idOf(machine, 'backup', 'create', '--label', 'x');
  const restore = ['backup', 'restore', backupId, '--sections', 'store', '--confirm', backupId];
  const restored = await machine.run([...restore, '--no-safety-backup', '--json']);
  const { preRestoreBackupId } = JSON.parse(restored.stdout);
  const [{ id }] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);

  const refused = await machine.run(['undo', id, '--confirm', id]);

  const command = `storectl backup restore ${preRestoreBackupId} --sections store`;
  expect(refused).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining(`run \`${command}\` to restore what the service backed up before it`),
  });
});

test.each([['undo'], ['history', 'show']])(
  '%s: the label of a backup instead of an id: the message names the id',
  async (...command) => {
    const { machine } = await setScene();
    await machine.run(['backup', 'create', '--label', 'nightly', '--sections', 'store']);
    const [{ id }] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);

    const { exitCode, stderr } = await machine.run([...command, 'nightly']);

    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(
      `no change "nightly" in the history of this store, but it is the label of ${id}`,
    );
  },
);

test('what cannot be undone is refused, and so is what was never applied', async () => {
  const { machine } = await setScene();
  await machine.run(['backup', 'create', '--label', 'x', '--sections', 'store']);
  const [{ id }] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  expect(await machine.run(['undo', id])).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining(' cannot be undone: only store updates, saved settings and restores can'),
  });
  expect(await machine.run(['undo'])).toMatchObject({ exitCode: 3 });
  expect(await machine.run(['undo', 'zzzzzz'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no change "zzzzzz"'),
  });
});

test('a change in doubt is resumed before it is undone', async () => {
  const { machine } = await setScene({ answers: [answer(200, { name: 'A' }), { does: 'drop' }] });
  await machine.run(['store', 'update', '--name', 'A']);
  await machine.run(['store', 'update', '--name', 'B', '--timeout', '1']);
  const [{ id }] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);

  expect(await machine.run(['undo', id])).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining(`storectl resume ${id}`),
  });
});

test('two undos of one change at once: the second is refused', async () => {
  const { machine } = await setScene();
  await machine.run(['store', 'update', '--name', 'A']);
  const id = await change(machine, 'store', 'update', '--name', 'B');

  const ends = await Promise.all([machine.run(['undo', id]), machine.run(['undo', id])]);

  expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 6]);
  expect(await changesIn(machine)).toBe(3);
});

test('a later change of the same field is not overwritten by a script, and a dry run says so too', async () => {
  const { machine } = await setScene();
  await machine.run(['store', 'update', '--name', 'A']);
  const id = await change(machine, 'store', 'update', '--name', 'B');
  await machine.run(['store', 'update', '--name', 'C']);

  const refused = await machine.run(['undo', id]);
  const planned = await machine.run(['undo', id, '--dry-run']);

  expect(planned).toMatchObject({ exitCode: 6, stdout: '' });
  expect(refused.stderr).toMatch(/error: Name changed again since \w+; nothing/);
  expect(refused.stderr).toContain(planned.stderr);
  expect(await changesIn(machine)).toBe(3);
});

test('of a change that was undone, no undo is offered', async () => {
  const { machine } = await setScene();
  await machine.run(['store', 'update', '--name', 'Before']);
  const id = await change(machine, 'store', 'update', '--name', 'After');

  const before = await machine.run(['history', 'show', id]);
  await machine.run(['undo', id]);
  const after = await machine.run(['history', 'show', id]);

  const [undoing] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  const shown = await machine.run(['history', 'show', undoing.id]);

  expect(before.stderr).toContain(`undo ${id}`);
  expect(after.stderr).toBe('');
  expect(after.stdout).toMatch(new RegExp(`^Undone by +${undoing.id}$`, 'm'));
  expect(shown.stdout).toMatch(new RegExp(`^Undoes +${id}$`, 'm'));
});
