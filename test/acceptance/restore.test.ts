import { expect, test } from 'vitest';
import { type ProgramScene, setScene } from '../helpers/scene.ts';
import { effectsOf, errorOf } from './effects.ts';
import { openSession } from './sessions/session.ts';

async function makeBackup({ machine }: ProgramScene): Promise<string> {
  const args = ['backup', 'create', '--label', 'first', '--sections', 'store,blog', '-q'];
  return (await machine.run(args)).stdout.trim();
}

/** Outside of a terminal, the undo of a restore is confirmed by its id. */
function confirmed(undo: string): string {
  return `${undo} --confirm ${undo.split(' ').at(-1)}`;
}

function nameOf({ storage }: ProgramScene['service']): Promise<string | undefined> {
  return storage.read(async (db) => (await db.selectFrom('stores').select('name').execute())[0]?.name);
}

/** Lets reads pass: what a restore would change is asked first. */
const holdWrites = ({ method }: { readonly method: string }) =>
  method === 'GET' ? ('pass' as const) : { holdUntil: new Promise<never>(() => {}) };

test('without --confirm and without a terminal: exit 3, nothing sent, whatever the other flags', async () => {
  const scene = await setScene({ built: true });
  const { machine, proxy } = scene;
  const id = await makeBackup(scene);
  const before = proxy.requests.length;
  const args = ['backup', 'restore', id, '--sections', 'store'];
  const tries = [
    await machine.run(args),
    await machine.run(args, { stdin: 'silent' }),
    await machine.run(args, { stdin: { text: `${id}\ny\nyes\n` } }),
    await machine.run([...args, '--json']),
    await machine.run([...args, '--no-input']),
    await machine.run([...args, '--quiet']),
    await machine.run([...args, '--no-safety-backup']),
    await machine.run(args, { env: { CI: 'true' } }),
  ];
  expect(tries.map(({ exitCode }) => exitCode)).toEqual(tries.map(() => 3));
  for (const { stdout, stderr } of tries) {
    expect(stdout).toBe('');
    expect(stderr).toContain(`--confirm ${id}`);
  }
  for (const flag of ['--yes', '-y', '--force'])
    expect(await machine.run([...args, flag])).toMatchObject({ exitCode: 2 });
  expect(await machine.run([...args, '--confirm', 'another'])).toMatchObject({ exitCode: 2 });
  expect(await machine.run([...args, '--confirm='])).not.toMatchObject({ exitCode: 0 });
  expect(proxy.requests).toHaveLength(before);
  expect((await effectsOf(scene.service)).restores).toEqual([]);
}, 120_000);

test('the safety backup is on the wire before the restore, and the printed undo command, pasted, undoes it', async () => {
  const scene = await setScene({ built: true });
  const { machine, proxy, service } = scene;
  await machine.run(['store', 'update', '--name', 'Old name']);
  const id = await makeBackup(scene);
  await machine.run(['store', 'update', '--name', 'New name']);
  const before = proxy.writes().length;
  const args = ['backup', 'restore', id, '--sections', 'store', '--confirm', id];
  const restored = await machine.run(args);
  expect(restored).toMatchObject({ exitCode: 0 });
  const [first, second, ...rest] = proxy.writes().slice(before);
  expect(rest).toEqual([]);
  expect(first?.path).toMatch(/\/backups$/);
  expect(JSON.parse(first?.body ?? '')).toMatchObject({ sections: ['store'] });
  expect(second?.path).toMatch(new RegExp(`/backups/${id}/restore$`));
  expect(restored.stderr).toMatch(/This replaces the store section of store .* with backup .*"first"/);
  expect(await nameOf(service)).toBe('Old name');

  const undo = /Undo: (.*)/.exec(restored.stderr)?.[1] ?? '';
  expect(undo).toContain('storectl ');
  expect(await machine.shell(confirmed(undo))).toMatchObject({ exitCode: 0 });
  expect(await nameOf(service)).toBe('New name');
});

test('resume of a restore that was killed during its safety backup says that nothing was restored', async () => {
  const scene = await setScene({ built: true });
  const { machine, proxy, service } = scene;
  const id = await makeBackup(scene);
  proxy.decide(holdWrites);
  const args = ['backup', 'restore', id, '--sections', 'store', '--confirm', id];
  const running = machine.start(args);
  // After the backup, and what it would change.
  await proxy.received(3);
  running.process.kill('SIGKILL');
  await running.ended;
  proxy.decide(() => 'pass');

  const resumed = await machine.run(['resume']);

  expect(resumed).toMatchObject({ exitCode: 0 });
  const safety = (await effectsOf(service)).backups.find(({ label }) => label.startsWith('Safety'));
  expect(resumed.stderr).toContain(
    `Safety backup ${safety?.id} was taken, but the restore of backup ${id} ("first", just now) was not begun: nothing was restored.`,
  );
  expect(resumed.stderr).toContain(`backup restore ${id} --sections store\n`);
  expect((await effectsOf(service)).restores).toEqual([]);
  // A safety backup whose restore was sent needs no such words.
  await machine.run(['store', 'update', '--name', 'New name']);
  proxy.decide(({ path }) => (path.endsWith('/restore') ? 'lose' : 'pass'));
  const lost = await machine.run([...args, '--timeout', '4', '--json']);
  expect(lost).toMatchObject({ exitCode: 10 });
  proxy.decide(() => 'pass');
  // A restore is never resumed as one of all.
  expect(await machine.run(['resume'])).toMatchObject({ exitCode: 10 });

  const finished = await machine.run(['resume', errorOf(lost).operationId]);

  expect(finished).toMatchObject({ exitCode: 0 });
  expect(finished.stderr).not.toContain('nothing was restored');
  expect(finished.stdout).toMatch(/^applied +\w+ +backup\.restore/);
  // The first attempt had restored it, so what was there before that attempt comes back.
  const undo = /Undo: (.*)/.exec(finished.stderr)?.[1] ?? '';
  expect(await machine.shell(confirmed(undo))).toMatchObject({ exitCode: 0 });
  expect(await nameOf(service)).toBe('New name');
}, 120_000);

test('a restore that was not begun is offered in a terminal by its label, and shows what it changed', async () => {
  const scene = await setScene({ built: true });
  const { machine, proxy, service } = scene;
  const id = await makeBackup(scene);
  await machine.run(['blog', 'create', '--title', 'Newer', '--content-md', 'x', '-q']);
  const before = proxy.requests.length;
  proxy.decide(holdWrites);
  const args = ['backup', 'restore', id, '--sections', 'store,blog', '--confirm', id];
  const withKey = [...args, '--idempotency-key', 'nightly-1'];
  const running = machine.start(withKey);
  await proxy.received(before + 2);
  running.process.kill('SIGKILL');
  await running.ended;
  proxy.decide(() => 'pass');

  const session = await openSession('storectl resume', { machine });
  await session.typeAt(/"first", just now\)(.|\n)+Go on with this restore\? \(y\/N\)$/, 'y');
  await session.typeAt(/Posts +1 removed(.|\n)+to confirm:$/, id);
  expect(await session.ends()).toMatch(
    /✓ Restored the store and blog sections from (.|\n)*Posts +1 removed\n(.*\n){2}Undo: storectl undo/,
  );
  // The key of the command is one effect, whichever command restores the backup.
  const again = await machine.run(withKey);
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Already applied') });
  expect((await effectsOf(service)).restores).toHaveLength(1);
});
