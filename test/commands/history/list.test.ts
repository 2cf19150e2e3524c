import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { otherUser } from '../../helpers/bulk.ts';
import { newMachine } from '../../helpers/cli.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

test('a long label does not widen the list, and --json has it whole', async () => {
  const machine = newMachine();
  const title = 'long '.repeat(40).trim();
  await machine.run(['--demo', 'blog', 'create', '--title', title, '--content-md', 'text']);

  const list = await machine.run(['--demo', 'history', 'list']);
  const json = await machine.run(['--demo', 'history', 'list', '--json']);

  expect(list.stdout).toMatch(/blog\.create +(long )+long… {2}applied/);
  for (const line of list.stdout.split('\n')) expect(line.length).toBeLessThan(200);
  expect(JSON.parse(json.stdout)).toMatchObject([{ label: title }]);
});

test('a decision that was refused is listed with what was asked for and of which dispute', async () => {
  const { service, machine } = await setScene();
  const [id = ''] = await otherUser(service).openDisputes(1);
  const decide = typed`disputes decide ${id} --status banana --resolution r --confirm ${id}`;
  expect(await machine.run(decide)).toMatchObject({ exitCode: 7 });

  const { stdout } = await machine.run(['history', 'list']);

  expect(stdout).toMatch(new RegExp(`disputes\\.decide +banana ${id} +rejected: validation_failed$`, 'm'));
});

test('a change that was undone is listed as that, until its undo is undone', async () => {
  const { machine } = await setScene();
  await machine.run(['store', 'update', '--name', 'Before']);
  await machine.run(['store', 'update', '--name', 'After']);
  const list = async () => JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  const [{ id: updated }] = await list();
  await machine.run(['undo', updated]);
  const [{ id: undo }] = await list();
  const line = new RegExp(`^${updated} .*store\\.update +After +undone by ${undo}$`, 'm');
  expect((await machine.run(['history', 'list'])).stdout).toMatch(line);
  expect((await list())[1].undoneBy).toBe(undo);
  await machine.run(['undo', undo]);
  expect((await list())[2]).toMatchObject({ id: updated, undoneBy: null });

  const created = await machine.run(typed`backup create --label nightly --sections store -q`);
  const backupId = created.stdout.trim();
  await machine.run(['store', 'update', '--name', 'Later']);
  await machine.run(typed`backup restore ${backupId} --sections store --confirm ${backupId}`);
  const [{ id: restore }] = await list();
  // A restore says nothing of single changes.
  const updates = await machine.run(typed`history list --operation store.update`);
  expect(updates.stdout).not.toMatch(/Later +undone/);
  await machine.run(['undo', restore, '--confirm', restore]);
  const { stdout } = await machine.run(['history', 'list']);
  expect(stdout).toMatch(new RegExp(`^${restore} .*backup\\.restore +nightly +undone by [a-z0-9]{6}$`, 'm'));
});

test('--fields takes every field of a record, and no other', async () => {
  const machine = newMachine();
  await machine.run(['--demo', 'backup', 'create', '--label', 'x', '--sections', 'store']);
  const list = (...args: string[]) => machine.run(['--demo', 'history', 'list', ...args]);

  const [record] = JSON.parse((await list('--json')).stdout);
  const chosen = await list('--fields', Object.keys(record).join(','));
  expect(Object.keys(JSON.parse(chosen.stdout)[0])).toEqual(Object.keys(record));

  const unknown = await list('--fields', 'idd');
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(JSON.parse(unknown.stderr.split('\n').at(-2) ?? '').error).toMatchObject({
    code: 'unknown_field',
    message: 'unknown field: idd (did you mean id?)',
  });
});

test('a batch is one row, which history show opens; --all and --json have each of its changes', async () => {
  const { machine } = await setScene();
  for (let n = 1; n <= 4; n += 1)
    writeFileSync(
      path.join(machine.folder, `${n}.md`),
      `---\ntitle: Post ${n}\nslug: s${n === 4 ? 1 : n}\n---\ntext\n`,
    );
  await machine.run(typed`backup create --label first --sections store`);
  await machine.run(typed`blog create 1.md 2.md 3.md`);
  await machine.run(typed`blog create 4.md 2.md --allow-duplicate`);

  const list = async (...args: string[]) => {
    const { stdout, stderr } = await machine.run(['history', 'list', ...args]);
    return { rows: stdout.trimEnd().split('\n').slice(1), stdout, stderr };
  };
  const { rows, stderr } = await list();
  expect(rows).toEqual([
    expect.stringMatching(/^\w{6} {2}now +blog\.create +2 changes: Post 4, Post 2 +2 rejected$/),
    expect.stringMatching(/^\w{6} {2}now +blog\.create +3 changes: Post 1, Post 2, Post 3 +3 applied$/),
    expect.stringMatching(/^\w{6} {2}now +backup\.create +first +applied [\da-f-]{36}$/),
  ]);
  const id = rows[1]?.slice(0, 6) ?? '';
  expect(stderr).toContain(`history show ${rows[0]?.slice(0, 6)}\` to see each change of a batch`);
  expect((await list('--limit', '2')).stderr).toContain('Showing 2 of 3 commands. Use --limit 3 to see all.');
  expect((await list('--all')).rows).toHaveLength(6);
  expect((await list('--state', 'applied')).rows).toHaveLength(4);
  expect(JSON.parse((await list('--json')).stdout)).toHaveLength(6);
  expect((await list('-q')).stdout.trim().split('\n')).toHaveLength(6);

  const shown = await machine.run(['history', 'show', id]);
  expect(shown.stdout).toMatch(new RegExp(`^${id}\\.1 .* Post 1 +applied `, 'm'));
  expect(shown.stdout.trimEnd().split('\n')).toHaveLength(4);
  expect(shown.stderr).toContain(`history show ${id}.1\` to see one of them`);
  expect(JSON.parse((await machine.run(['history', 'show', id, '--json'])).stdout)).toHaveLength(3);
});
