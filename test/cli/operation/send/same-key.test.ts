import { describe, expect, test } from 'vitest';
import type { Machine } from '../../../helpers/cli.ts';
import { type Scene, setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

const create = typed`backup create --label nightly --sections store`;
const withKey = [...create, '--idempotency-key', 'nightly-1'];

/** Runs a command whose response is lost after the service has applied it (`drop`), or before it has arrived (`lose`). */
async function runLosing({ machine, proxy }: Scene, loss: 'drop' | 'lose', args: readonly string[]) {
  proxy.decide(({ method }) => (method === 'GET' ? 'pass' : loss));
  const lost = await machine.run([...args, '--timeout', '1']);
  proxy.decide(() => 'pass');
  expect(lost.exitCode).toBe(10);
  return /resume ([a-z0-9]+)/.exec(lost.stderr)?.[1] ?? '';
}

async function backupsIn(machine: Machine): Promise<number> {
  return JSON.parse((await machine.run(['backup', 'list', '--json'])).stdout).length;
}

/** A backup to restore, and the restore of it, with a key or without. */
async function setRestore() {
  const scene = await setScene();
  const backupId = (await scene.machine.run([...create, '-q'])).stdout.trim();
  const restore = typed`backup restore ${backupId} --sections store --confirm ${backupId}`;
  return { ...scene, restore, restoreByKey: [...restore, '--idempotency-key', 'r-1'] };
}

describe('a key given again after a later change has superseded the one that had it', () => {
  test.each([
    ['had been applied', 'drop'],
    ['had not', 'lose'],
  ] as const)('makes one backup with that key, whether it %s', async (_, loss) => {
    const scene = await setScene();
    const { machine } = scene;
    const before = await backupsIn(machine);
    const id = await runLosing(scene, loss, withKey);
    expect((await machine.run(create)).exitCode).toBe(0);
    expect((await machine.run(['history', 'list'])).stdout).toMatch(new RegExp(`${id}.*superseded`));

    const again = await machine.run(withKey);
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('✓ Created backup') });
    expect(await backupsIn(machine)).toBe(before + 2);

    const third = await machine.run(withKey);
    expect(third).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Already applied') });
    expect(third.stdout).toBe(again.stdout);
    expect(await backupsIn(machine)).toBe(before + 2);
  });

  test.each([
    ['resume sends it', (id: string) => ['resume', id]],
    ['the key given once more sends it', () => withKey],
  ])('and whose response is lost again is in doubt: %s', async (_, next) => {
    const scene = await setScene();
    const { machine } = scene;
    const before = await backupsIn(machine);
    await runLosing(scene, 'lose', withKey);
    await machine.run(create);
    const id = await runLosing(scene, 'lose', withKey);

    expect((await machine.run(['history', 'list'])).stdout).toMatch(new RegExp(`${id}.*in doubt`));
    expect((await machine.run(next(id))).exitCode).toBe(0);
    expect(await backupsIn(machine)).toBe(before + 2);
    expect((await machine.run(withKey)).stderr).toContain(`Already applied (${id})`);
  });

  test('restores nothing over the later restore: it is refused, and says what to do', async () => {
    const scene = await setRestore();
    const { machine, proxy, restore, restoreByKey } = scene;
    const id = await runLosing(scene, 'lose', [...restoreByKey, '--no-safety-backup']);
    expect((await machine.run(restore)).exitCode).toBe(0);
    const [later] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
    const sent = proxy.writes().length;

    const again = await machine.run(restoreByKey);
    expect(again.exitCode).toBe(6);
    expect(again.stderr).toContain(`a later change has superseded the one with this idempotency key (${id})`);
    expect(again.stderr).toContain(`storectl history show ${later.id}`);
    expect(again.stderr).toContain('use another idempotency key');
    expect(proxy.writes()).toHaveLength(sent);

    const anotherKey = [...restore, '--idempotency-key', 'r-2'];
    expect((await machine.run(anotherKey)).exitCode).toBe(0);
  });
});

describe('a key given again for a change that', () => {
  test('was undone since says so', async () => {
    const { machine, proxy, restoreByKey } = await setRestore();
    const { stderr } = await machine.run(restoreByKey);
    const id = /undo (\S+)$/m.exec(stderr)?.[1] ?? '';
    expect((await machine.run(['undo', id, '--confirm', id])).exitCode).toBe(0);
    const [undo] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
    const sent = proxy.writes().length;

    const again = await machine.run(restoreByKey);
    expect(again.exitCode).toBe(0);
    expect(again.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `Already applied (${id}), and undone since (${undo.id}); nothing was sent. To do it again, use another idempotency key.`,
    );
    expect(proxy.writes()).toHaveLength(sent);
  });

  test('was marked as applied has no response to show', async () => {
    const scene = await setScene();
    const { machine } = scene;
    const id = await runLosing(scene, 'drop', withKey);
    expect((await machine.run(['resume', id, '--mark', 'applied'])).exitCode).toBe(0);

    const again = await machine.run(withKey);
    expect(again).toMatchObject({ exitCode: 0, stdout: '' });
    expect(again.stderr).toContain(`Already applied (${id}); nothing was sent.`);
    expect(again.stderr).toContain('so there is no response to show');
    expect(again.stderr).not.toContain('response from then');
  });

  test('was marked as not applied is a new change', async () => {
    const scene = await setScene();
    const { machine } = scene;
    const id = await runLosing(scene, 'lose', withKey);
    expect((await machine.run(['resume', id, '--mark', 'not-applied'])).exitCode).toBe(0);

    const again = await machine.run(withKey);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).not.toContain(id);
  });
});
