import { expect, test } from 'vitest';
import { recordChange } from '../../src/history/changes/change.ts';
import { nodeFileSystem } from '../../src/history/journal/files/files.ts';
import { backup, endpoint, post, restore, startScene } from './helpers/scene.ts';

test('a disk that is full after the safety backup: what came of that is told, with the reason, and nothing is restored', async () => {
  const scene = await startScene();
  let writes = 0;
  const history = scene.open({
    ...nodeFileSystem,
    writeSync(...call: Parameters<typeof nodeFileSystem.writeSync>) {
      writes += 1;
      if (scene.server.received.length > 0 && writes > 3)
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return nodeFileSystem.writeSync(...call);
    },
  } as typeof nodeFileSystem);
  const changed = await recordChange(history, restore, {
    client: scene.client,
    safetyLabel: 'before',
  });
  await history.end();
  expect(changed).toMatchObject({
    record: { operation: 'backup.create' },
    outcome: { kind: 'applied', body: { id: 'made-1' } },
    recordingError: { code: 'disk_full' },
  });
  expect(changed.safetyBackup?.record.id).toBe(changed.record.id);
  expect(scene.server.received).toHaveLength(1);
});

test('resume waits as long as the response to another command asked for', async () => {
  const scene = await startScene(() => 'drop');
  const { record } = await scene.change(backup);
  scene.react = () => ({
    status: 403,
    body: { code: 'forbidden' },
    headers: { 'retry-after': '600' },
  });
  await scene.change({ ...backup, body: { label: 'weekly', sections: ['store'] } });
  scene.react = () => 'answer';
  const pauses: number[] = [];
  const client = {
    ...scene.client,
    pause(ms: number) {
      pauses.push(ms);
      scene.client.pause(ms);
    },
  };
  await scene.resume(record.id, { client });
  expect(Math.max(...pauses)).toBeGreaterThan(500_000);
});

test.each([
  ['post', post, { ...post, body: { title: 'Another', contentMd: 'World' } }],
  ['endpoint', endpoint, { ...endpoint, body: { ...endpoint.body, name: 'Another' } }],
])('a %s in doubt is not overtaken by another one that is applied later', async (_, request, another) => {
  const scene = await startScene(() => 'drop');
  const { record } = await scene.change(request);
  scene.react = () => 'answer';
  await scene.change(another);
  expect(await scene.resume(record.id)).toMatchObject({ action: 'left', reason: 'ask_user' });
  await expect(scene.change(request)).rejects.toMatchObject({ reason: 'in_doubt' });
});
