import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type ProgramScene, setScene } from '../helpers/scene.ts';
import { errorOf } from './effects.ts';

const show = async ({ machine }: ProgramScene) =>
  JSON.parse((await machine.run(['settings', 'show', '--json'])).stdout);

test.each([
  ['between the two reads', 2],
  ['between the last read and the save', 3],
])('another user saves %s: exit 6 shows what changed, and nothing is overwritten', async (_name, at) => {
  const scene = await setScene({ built: true });
  const { machine, proxy, service } = scene;
  const other = scene.anotherMachine({ STORECTL_BASE_URL: service.origin });
  proxy.decide((_request, number) =>
    number === at ? { waitFor: other.run(['settings', 'save', '--quiet-hours-end', '08:30']) } : 'pass',
  );
  const result = await machine.run(['settings', 'save', '--quiet-hours-start', '20:00', '--json']);
  expect(result.exitCode).toBe(6);
  if (at === 2) {
    expect(errorOf(result)).toMatchObject({
      code: 'settings_moved',
      outcome: 'not_sent',
      fields: expect.arrayContaining([expect.objectContaining({ field: 'quietHours.end' })]),
    });
    expect(errorOf(result).message).toContain('Quiet hours end: 07:00 → 08:30');
    expect(proxy.writes()).toEqual([]);
  } else expect(errorOf(result)).toMatchObject({ outcome: 'rejected', status: 412 });
  proxy.decide(() => 'pass');
  expect((await show(scene)).quietHours).toMatchObject({ start: '22:00', end: '08:30' });
});

test('a file that was read before another user saved is exit 6; read again, it is saved', async () => {
  const scene = await setScene({ built: true });
  const { machine, proxy } = scene;
  const file = path.join(machine.folder, 'settings.json');
  const mine = await show(scene);
  writeFileSync(file, JSON.stringify({ ...mine, discovery: { ...mine.discovery, summary: 'Mine.' } }));
  await scene.anotherMachine().run(['settings', 'save', '--quiet-hours-end', '08:30']);
  const before = proxy.writes().length;
  const stale = await machine.run(['settings', 'save', '--from-file', file]);
  expect(stale.exitCode).toBe(6);
  expect(stale.stderr).toMatch(/Quiet hours end: 07:00 → 08:30/);
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
