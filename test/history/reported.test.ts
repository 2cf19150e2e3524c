import { describe, expect, test } from 'vitest';
import { createBlogPost } from '../../src/contract/operations/blog.ts';
import { beginBatch } from '../../src/history/changes/batch.ts';
import { openRecords } from '../../src/history/changes/plan-resume.ts';
import { markRecords } from '../../src/history/changes/resume.ts';
import {
  backup,
  dispute,
  type HistoryScene,
  post,
  restore,
  safetyLabel,
  setHistoryScene,
} from './helpers/scene.ts';

/** A run of three posts that is killed before their outcomes are reported; the third one is in doubt. */
async function killedBatch(scene: HistoryScene): Promise<string> {
  scene.react = (_, number) => (number === 3 ? 'drop' : 'answer');
  const history = scene.open();
  const batch = await beginBatch(history, {
    client: scene.client,
    operation: createBlogPost,
    maxAtOnce: () => 1,
    isOver: () => false,
  });
  const ids: string[] = [];
  for (const title of ['A', 'B', 'C']) {
    const sent = await batch.change({ ...post, body: { title, contentMd: 'x' } });
    ids.push(sent?.record.id ?? '');
  }
  batch.end();
  scene.kill();
  return ids[0]?.split('.')[0] ?? '';
}

const openIds = (scene: HistoryScene) => openRecords(scene.open()).map(({ id }) => id);

test('what a running process still has to print is visible to others, and only that process prints it', async () => {
  const scene = await setHistoryScene();
  const history = scene.open();
  const { id } = (await scene.begin(history, post)).record;

  expect(await scene.resume(id)).toMatchObject({ action: 'reported', outcome: { kind: 'applied' } });
  expect(openIds(scene)).toEqual([id]);
  await history.end();
  expect(openIds(scene)).toEqual([]);
  expect(scene.server.received).toHaveLength(1);
});

describe('a change whose outcome was not reported stays open', () => {
  test('until resume has reported it, and no other change of its run', async () => {
    const scene = await setHistoryScene();
    const log = await killedBatch(scene);
    scene.server.clear();
    expect(openIds(scene)).toEqual([`${log}.1`, `${log}.2`, `${log}.3`]);
    expect(await scene.resume(`${log}.2`)).toMatchObject({
      action: 'reported',
      outcome: { kind: 'applied' },
    });
    expect(openIds(scene)).toEqual([`${log}.1`, `${log}.3`]);
    expect(await scene.resume(`${log}.3`)).toMatchObject({ action: 'left_open', reason: 'ask_user' });
    expect(openIds(scene)).toEqual([`${log}.1`, `${log}.3`]);
    expect(await scene.resume(`${log}.1`)).toMatchObject({ action: 'reported' });
    expect(openIds(scene)).toEqual([`${log}.3`]);
    expect(scene.server.received).toEqual([]);
  });

  test('when another change of its run is marked', async () => {
    const scene = await setHistoryScene();
    const log = await killedBatch(scene);
    await scene.use((history) => markRecords(history, `${log}.3`, 'applied'));
    expect(openIds(scene)).toEqual([`${log}.1`, `${log}.2`]);
  });

  test('when another change of its run is superseded', async () => {
    const scene = await setHistoryScene(({ path }) => (path.endsWith('/restore') ? 'drop' : 'answer'));
    await scene.changeAndDie(restore, { safetyLabel });
    scene.react = () => 'answer';
    const { record } = await scene.change(restore);
    const [safety] = scene.records();
    expect(openIds(scene)).toEqual([safety?.id]);
    expect(record.open).toBe(true);
  });

  test('if it was applied, refused or not sent, and resume says which', async () => {
    const cases: [HistoryScene['react'], string][] = [
      [() => 'answer', 'applied'],
      [() => ({ status: 422, body: { code: 'bad' } }), 'rejected'],
    ];
    for (const [react, kind] of cases) {
      const scene = await setHistoryScene(react);
      const { record } = await scene.changeAndDie(backup);
      scene.react = () => 'answer';
      scene.server.clear();
      expect(await scene.resume(record.id)).toMatchObject({
        action: 'reported',
        isEarlier: true,
        outcome: { kind },
      });
      expect(openIds(scene)).toEqual([]);
      expect(scene.server.received).toEqual([]);
    }
  });
});

describe('the same command again after its process was killed', () => {
  test('takes a new backup, whatever came of the one before', async () => {
    const scene = await setHistoryScene();
    const killed = await scene.changeAndDie(backup);
    const again = await scene.change(backup);
    expect(again.record.id).not.toBe(killed.record.id);
    expect(scene.server.effects).toHaveLength(2);
  });

  test('reports the dispute that was opened', async () => {
    const scene = await setHistoryScene();
    const killed = await scene.changeAndDie(dispute);
    const again = await scene.change(dispute);
    expect(again).toMatchObject({ isEarlier: true, record: { id: killed.record.id } });
    expect(scene.server.effects).toHaveLength(1);
  });

  test('opens a new dispute if that is asked for', async () => {
    const scene = await setHistoryScene(() => 'drop');
    const killed = await scene.change(dispute);
    scene.react = () => 'answer';
    const fresh = await scene.change({ ...dispute, fresh: true });
    expect(fresh.record.id).not.toBe(killed.record.id);
    expect(openIds(scene)).toEqual([killed.record.id]);
  });
});

test('a restore that was reported has its safety backup reported as well', async () => {
  const scene = await setHistoryScene(({ path }) => (path.endsWith('/restore') ? 'drop' : 'answer'));
  const { record } = await scene.changeAndDie(restore, { safetyLabel });
  scene.react = () => 'answer';
  await scene.resume(record.id, { isConfirmed: true });
  expect(openIds(scene)).toEqual([]);
});

test('resume waits as long as the response to another command asked for', async () => {
  const scene = await setHistoryScene(() => 'drop');
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
