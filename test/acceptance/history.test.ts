import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { setScene } from '../helpers/scene.ts';
import { typed } from '../helpers/typed.ts';

test('the history is private, holds no key, and shows what was sent and what came back', async () => {
  const { machine, proxy, service, example } = await setScene({ built: true });
  const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];
  await machine.run(create, { env: { STORECTL_DEBUG: '1' } });
  await machine.run(['blog', 'create', '--title', 'Sale', '--content-md', 'Text.']);
  proxy.decide(() => 'drop');
  await machine.run(typed`notify add-endpoint --name Team --events feedback_digest --url ${webhook}`);
  proxy.decide(() => 'pass');
  await machine.run(['reclaim', 'appeal', example.reclaims[0]?.id ?? '', '--text', '', '--confirm', 'x']);

  const names = readdirSync(machine.stateDirectory, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => path.join(machine.stateDirectory, name));
  expect(files.length).toBeGreaterThan(4);
  for (const file of [machine.stateDirectory, ...files]) {
    const stats = statSync(file);
    expect((stats.mode & 0o777).toString(8), file).toBe(stats.isDirectory() ? '700' : '600');
    if (stats.isFile()) expect(readFileSync(file).includes(service.apiKey), file).toBe(false);
  }

  const list = async (...flags: string[]) =>
    JSON.parse((await machine.run(['history', 'list', '--json', ...flags])).stdout);
  expect((await list()).map(({ operation }: { operation: string }) => operation)).toEqual([
    'notify.add-endpoint',
    'blog.create',
    'backup.create',
  ]);
  expect(await list('--operation', 'backup.create')).toMatchObject([{ operation: 'backup.create' }]);
  expect(await list('--state', 'unknown')).toMatchObject([{ operation: 'notify.add-endpoint', open: true }]);
  expect(await list('--state', 'rejected')).toEqual([]);
  expect(await list('--limit', '1')).toHaveLength(1);
  expect((await machine.run(['history', 'list'])).stderr).toContain('Stored in ');
  expect(await machine.run(['history', 'list', '--state', 'lost'])).toMatchObject({ exitCode: 2 });

  const [{ id, result }] = await list('--operation', 'backup.create');
  const shown = JSON.parse((await machine.run(['history', 'show', id, '--json'])).stdout);
  expect(shown).toMatchObject({
    state: 'applied',
    method: 'POST',
    path: proxy.requests[0]?.path,
    body: proxy.requests[0]?.body,
    storeId: service.storeId,
    response: { status: 201 },
  });
  expect(JSON.parse(shown.response.body)).toMatchObject({ id: result, label: 'nightly' });
  expect((await machine.run(['history', 'show', id])).stdout).toContain(result);
  expect(await machine.run(['history', 'show', 'nothing'])).toMatchObject({ exitCode: 2 });

  const dryRun = await machine.run(['history', 'prune', '--older-than', '0h', '--dry-run']);
  expect(dryRun.stderr).toContain('Would remove 1 run from the history. Nothing was removed.');
  // A backup is kept: the service does not list it.
  expect(dryRun.stdout).not.toContain(id);
  expect((await machine.run(['history', 'prune', '--older-than', '0h', '--backups'])).stderr).toContain(
    'Removed 2 runs from the history',
  );
  expect(await list()).toMatchObject([{ operation: 'notify.add-endpoint', state: 'unknown' }]);
}, 120_000);

const webhook = 'https://discord.com/api/webhooks/4711/a-token';
