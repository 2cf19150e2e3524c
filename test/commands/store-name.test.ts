import path from 'node:path';
import { expect, test } from 'vitest';
import { machineFor } from '../helpers/cli.ts';
import { startService } from '../helpers/service.ts';

test('a store is named where this machine has seen its name, beside the beginning of its id', async () => {
  const target = await startService();
  const machine = machineFor(target);
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

test('after a restore the name is that from before its backup, unless another machine made it', async () => {
  const target = await startService();
  const machine = machineFor(target);
  const elsewhere = { env: { STORECTL_STATE_DIR: path.join(machine.folder, 'elsewhere') } };
  const backup = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '--json'];
  const restoreOverCypress = async ({ stdout }: { stdout: string }) => {
    await machine.run(['store', 'update', '--name', 'Cypress']);
    const { id } = JSON.parse(stdout);
    await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);
    return machine.run(backup);
  };
  await machine.run(['store', 'update', '--name', 'Juniper']);
  const [own, other] = [await machine.run(backup), await machine.run(backup, elsewhere)];

  expect((await restoreOverCypress(own)).stderr).toMatch(/^main → store Juniper \(/);
  expect((await restoreOverCypress(other)).stderr).toMatch(new RegExp(`^main → store ${target.storeId} @ `));
});

test('the list of profiles names the stores in a terminal; a pipe gets their ids', async () => {
  const target = await startService();
  const machine = machineFor(target);
  await machine.run(['profile', 'set', 'main', '--base-url', target.origin, '--store', target.storeId]);
  await machine.run(['store', 'update', '--name', 'Juniper']);

  const { stdout: shown } = await machine.run(['profile', 'list'], { columns: 120, env: { PAGER: 'cat' } });
  const piped = await machine.run(['profile', 'list']);

  expect(shown).toContain(`Juniper (${target.storeId.slice(0, 8)})`);
  expect(piped.stdout).toContain(target.storeId);
  expect(piped.stdout).not.toContain('Juniper');
});
