import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startFaultServer } from '../helpers/fault-server.ts';
import { newProgramMachine } from '../helpers/program.ts';
import { errorOf, setScene } from './scene.ts';

const show = async ({ machine }: Awaited<ReturnType<typeof setScene>>) =>
  JSON.parse((await machine.run(['settings', 'show', '--json'])).stdout);

test.each([
  ['between the two reads', 2],
  ['between the last read and the save', 3],
])('somebody saves %s: exit 6, it shows what moved, nothing is overwritten', async (_name, at) => {
  const scene = await setScene();
  const { machine, proxy, service } = scene;
  const other = scene.anotherMachine({ STORECTL_BASE_URL: service.origin });
  proxy.decide((_request, number) =>
    number === at ? { waitFor: other.run(['settings', 'save', '--quiet-hours-end', '08:30']) } : 'pass',
  );
  const result = await machine.run(['settings', 'save', '--quiet-hours-start', '20:00', '--json']);
  expect(result.exitCode).toBe(6);
  if (at === 2) {
    expect(errorOf(result)).toMatchObject({ code: 'settings_moved', outcome: 'not_sent' });
    expect(errorOf(result).message).toContain('Quiet hours end  07:00 → 08:30');
    expect(proxy.writes()).toEqual([]);
  } else expect(errorOf(result)).toMatchObject({ outcome: 'rejected', status: 412 });
  proxy.decide(() => 'pass');
  expect((await show(scene)).quietHours).toMatchObject({ start: '22:00', end: '08:30' });
});

test('a file that was read before somebody else saved: exit 6; read anew, it is saved', async () => {
  const scene = await setScene();
  const { machine, proxy } = scene;
  const file = path.join(machine.folder, 'settings.json');
  const mine = await show(scene);
  writeFileSync(file, JSON.stringify({ ...mine, discovery: { ...mine.discovery, summary: 'Mine.' } }));
  await scene.anotherMachine().run(['settings', 'save', '--quiet-hours-end', '08:30']);
  const before = proxy.writes().length;
  const stale = await machine.run(['settings', 'save', '--from-file', file]);
  expect(stale.exitCode).toBe(6);
  expect(stale.stderr).toMatch(/Quiet hours end +07:00 → 08:30/);
  expect(proxy.writes()).toHaveLength(before);

  const anew = await show(scene);
  writeFileSync(file, JSON.stringify({ ...anew, discovery: { ...anew.discovery, summary: 'Mine.' } }));
  expect(await machine.run(['settings', 'save', '--from-file', file])).toMatchObject({ exitCode: 0 });
  expect(await show(scene)).toMatchObject({ quietHours: { end: '08:30' }, discovery: { summary: 'Mine.' } });

  const saved = proxy.writes().length;
  const again = await machine.run(['settings', 'save', '--from-file', file]);
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('No changes') });
  expect(proxy.writes()).toHaveLength(saved);
});

test('groups and fields that the contract does not know survive a save, on a service without ETags', async () => {
  const document = {
    quietHours: { enabled: false, start: '22:00', end: '07:00', timezone: 'UTC', weekends: 'off' },
    loyalty: { tiers: [{ name: 'gold', from: 100 }], nested: { a: null } },
    storeId: 's1',
    env: 'live',
    updatedAt: '2030-01-01T00:00:00Z',
  };
  await using server = await startFaultServer([{ does: 'answer', body: document }]);
  const machine = newProgramMachine({
    STORECTL_BASE_URL: server.url,
    STORECTL_STORE_ID: 's1',
    STORECTL_API_KEY: 'key-of-the-test',
  });
  const result = await machine.run(['settings', 'save', '--quiet-hours-start', '20:00', '--json']);
  expect(result).toMatchObject({ exitCode: 0 });
  const { storeId: _, env: __, updatedAt: ___, ...groups } = document;
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT']);
  expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({
    ...groups,
    quietHours: { ...document.quietHours, start: '20:00' },
  });
  expect(JSON.parse((await machine.run(['settings', 'show', '--json'])).stdout)).toEqual(document);
});

test('the former document is kept in the history, and undo puts it back, what was added included', async () => {
  const scene = await setScene();
  const { machine, proxy } = scene;
  const { updatedAt: _, ...former } = await show(scene);
  const change = ['settings', 'save', '--quiet-hours-start', '20:00', '--set', 'templates.mine.title=x'];
  await machine.run([...change, '--set', 'templates.mine.body=y']);
  const [{ id }] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  const shown = await machine.run(['history', 'show', id]);
  const undo = /storectl (.*undo \S+)/.exec(shown.stderr)?.[1]?.split(' ') ?? [];

  const dry = JSON.parse((await machine.run([...undo, '--dry-run', '--json'])).stdout);
  const undone = await machine.run(undo);

  expect(undone).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Template mine') });
  expect(await show(scene)).toMatchObject(former);
  expect(Object.keys((await show(scene)).templates)).not.toContain('mine');
  expect(dry.body).toEqual(JSON.parse(proxy.writes().at(-1)?.body ?? ''));
});

test.each([
  ['zzzzzz', 2, /no change "zzzzzz"/],
  ['{backup}', 6, /the service cannot take/],
])('undo %s: exit %i, nothing sent', async (id, exitCode, message) => {
  const { machine, proxy } = await setScene();
  await machine.run(['backup', 'create', '--label', 'l', '--sections', 'store']);
  const { stdout } = await machine.run(['history', 'list', '-q']);

  const result = await machine.run(['undo', id.replace('{backup}', stdout.trim())]);

  expect(result).toMatchObject({ exitCode, stderr: expect.stringMatching(message) });
  expect(proxy.writes()).toHaveLength(1);
});

test('settings diff ends with 6 under --exit-code where something differs, else 0, and saves nothing', async () => {
  const { machine, proxy } = await setScene();
  const diff = ['settings', 'diff', '--exit-code'];
  expect(await machine.run([...diff, '--quiet-hours-start', '20:00'])).toMatchObject({
    exitCode: 6,
    stdout: expect.stringContaining('Quiet hours start'),
  });
  expect(await machine.run([...diff, '--quiet-hours-start', '22:00'])).toMatchObject({ exitCode: 0 });
  expect(proxy.writes()).toEqual([]);
});
