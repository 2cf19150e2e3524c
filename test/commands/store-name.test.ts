import { expect, test } from 'vitest';
import { setScene } from '../helpers/scene.ts';

test('a store is named where this machine has seen its name, beside the beginning of its id', async () => {
  const { access: target, machine } = await setScene();
  const short = target.storeId.slice(0, 8);
  const backup = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];

  const before = await machine.run(backup);
  await machine.run(['store', 'update', '--name', 'Juniper']);
  const after = await machine.run([...backup, '--json']);
  const { id } = JSON.parse(after.stdout);
  const restored = await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);

  expect(before.stderr).toMatch(new RegExp(`^main → store ${target.storeId} @ `));
  for (const { stderr } of [after, await machine.run(backup)])
    expect(stderr).toMatch(new RegExp(`^main → store Juniper \\(${short}\\) @ `));
  expect(restored.stderr).toContain(
    `This replaces the store section of store Juniper (${short}) with backup ${id}`,
  );
});

test('after a restore the name is not known, until a response shows it', async () => {
  const { access: target, machine } = await setScene();
  const backup = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '--json'];
  await machine.run(['store', 'update', '--name', 'Juniper']);
  const { id } = JSON.parse((await machine.run(backup)).stdout);
  await machine.run(['store', 'update', '--name', 'Cypress']);

  await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);

  expect((await machine.run(backup)).stderr).toMatch(new RegExp(`^main → store ${target.storeId} @ `));
  await machine.run(['store', 'update', '--cashback-bp', '1']);
  expect((await machine.run(backup)).stderr).toMatch(/^main → store Juniper \(/);
});

test('the list of profiles names the stores in a terminal; a pipe gets their ids', async () => {
  const { access: target, machine } = await setScene();
  await machine.run(['profile', 'set', 'main', '--base-url', target.origin, '--store', target.storeId]);
  await machine.run(['store', 'update', '--name', 'Juniper']);

  const { stdout: shown } = await machine.run(['profile', 'list'], { columns: 120, env: { PAGER: 'cat' } });
  const piped = await machine.run(['profile', 'list']);

  expect(shown).toContain(`Juniper (${target.storeId.slice(0, 8)})`);
  expect(piped.stdout).toContain(target.storeId);
  expect(piped.stdout).not.toContain('Juniper');
});
