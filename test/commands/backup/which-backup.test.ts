import { describe, expect, test } from 'vitest';
import type { Machine } from '../../helpers/cli.ts';
import { setScene } from '../../helpers/scene.ts';

/** Takes a backup of the store and the blog, and changes both. Returns the id of the backup. */
async function backUpAndChange(machine: Machine): Promise<string> {
  const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store,blog', '-q'];
  const id = (await machine.run(create)).stdout.trim();
  await machine.run(['store', 'update', '--cashback-bp', '500']);
  await machine.run(['blog', 'create', '--title', 'New', '--content-md', 'x']);
  return id;
}

async function restore(machine: Machine, id: string) {
  return machine.run(['backup', 'restore', id, '--sections', 'store,blog', '--confirm', id]);
}

describe('a text that is no id', () => {
  test.each([
    [
      'nightly',
      /^error: "nightly" is the label of a backup, not its id; 2 backups have it$/m,
      /^ {2}use (\S+) \(nightly \(store\), .* or \S+ \(nightly \(blog\)/m,
    ],
    [
      'latest',
      /^error: "latest" is not the id of a backup$/m,
      /^ {2}use (\S+), the newest backup that this machine has seen \(nightly/m,
    ],
  ])('%s: the id of the newest backup that is meant is said', async (text, error, hint) => {
    const { machine } = await setScene();
    await machine.run(['backup', 'create', '--label', 'nightly', '--sections', 'blog']);
    const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '-q'];
    const id = (await machine.run(create)).stdout.trim();

    const { exitCode, stderr } = await machine.run(['backup', 'restore', text, '--sections', 'store']);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(error);
    expect(id.startsWith(hint.exec(stderr)?.[1] ?? '?')).toBe(true);
  });

  test('a word is not called too short', async () => {
    const { machine } = await setScene();

    const { stderr } = await machine.run(['backup', 'show', 'first']);

    expect(stderr).toContain('error: "first" is not the id of a backup\n  run `storectl backup list`');
  });
});

test('which of the two backups of a restore undo uses: in the result, and in the list', async () => {
  const { machine } = await setScene();
  const id = await backUpAndChange(machine);

  const { stderr } = await restore(machine, id);

  expect(stderr).toContain('A safety backup is taken first: undo goes back to it.');
  expect(stderr).toMatch(/^✓ Restored the store and blog sections from backup /m);
  const safety = /^Safety backup: (\S+) \(undo goes back to it\)$/m.exec(stderr)?.[1] ?? '';
  const byService = /^The service's own backup: (\S+)$/m.exec(stderr)?.[1] ?? '';
  const undo = /Undo: storectl undo (\S+)/.exec(stderr)?.[1] ?? '';
  const list = (await machine.run(['backup', 'list'])).stdout;
  expect(list).toMatch(new RegExp(`^${safety} .* undo ${undo} uses it `, 'm'));
  expect(list).toMatch(new RegExp(`^${byService} .* made by the service `, 'm'));

  await machine.run(['undo', undo, '--confirm', undo]);
  const after = (await machine.run(['backup', 'list'])).stdout;
  expect(after).not.toContain(`undo ${undo} uses it`);
});

test('the undo of a restore says what was changed since, by others and from this machine', async () => {
  const { machine, anotherMachine } = await setScene();
  const { stderr } = await restore(machine, await backUpAndChange(machine));
  const undo = /Undo: storectl undo (\S+)/.exec(stderr)?.[1] ?? '';
  const other = anotherMachine();
  await other.run(['store', 'update', '--name', 'Outlet']);
  await other.run(['blog', 'create', '--title', 'By a colleague', '--content-md', 'x']);

  const byOthers = await machine.run(['undo', undo, '--dry-run']);
  expect(byOthers.stderr).toMatch(
    /^Warning: this also takes back what was changed since the restore: Name, 1 post made since\.$/m,
  );

  const own = await machine.run(['store', 'update', '--cashback-bp', '300']);
  const id = /Undo: storectl undo (\S+)/.exec(own.stderr)?.[1] ?? '';
  const both = await machine.run(['undo', undo, '--dry-run']);
  expect(both.stderr).toContain(`Name, 1 post made since; from this machine: ${id} (store.update, `);
});

test('the undo of a restore that nothing followed warns of nothing', async () => {
  const { machine } = await setScene();
  const { stderr } = await restore(machine, await backUpAndChange(machine));
  const undo = /Undo: storectl undo (\S+)/.exec(stderr)?.[1] ?? '';

  expect((await machine.run(['undo', undo, '--dry-run'])).stderr).not.toContain('Warning');
});
