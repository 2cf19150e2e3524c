import { describe, expect, test } from 'vitest';
import { planUndo } from '../../src/history/changes/undo.ts';
import { RefusedError } from '../../src/history/errors.ts';
import {
  appeal,
  backup,
  decision,
  dispute,
  endpoint,
  post,
  rename,
  restore,
  startScene,
} from './helpers/scene.ts';

const hour = 3_600_000;

describe('the same command again', () => {
  test('a backup in doubt is not what a later one asks for: a new one is taken, and ends the doubt', async () => {
    const scene = await startScene(() => 'drop');
    const first = await scene.change(backup);
    expect(first.outcome.kind).toBe('unknown');
    scene.react = () => 'answer';
    const second = await scene.change(backup);
    expect(second).toMatchObject({ isEarlier: false, outcome: { kind: 'applied' } });
    expect(second.record.idempotencyKey).not.toBe(first.record.idempotencyKey);
    const earlier = scene.open().get(first.record.id);
    expect(earlier).toMatchObject({ state: 'unknown', overtakenBy: second.record.id, open: false });
    expect(await scene.resume(first.record.id)).toMatchObject({ action: 'overtaken' });
  });

  test('a dispute in doubt is continued with its key and bytes', async () => {
    const scene = await startScene(() => 'drop');
    const first = await scene.change(dispute);
    scene.react = () => 'answer';
    const second = await scene.change(dispute);
    expect(second.record).toMatchObject({ id: first.record.id, state: 'applied' });
    expect(new Set(scene.server.received.map(({ body }) => body)).size).toBe(1);
    const third = await scene.change(dispute);
    expect(third.record.id).not.toBe(first.record.id);
  });

  test('a dispute in doubt for more than 20 hours is refused until it is marked', async () => {
    const scene = await startScene(() => 'drop');
    const first = await scene.change(dispute);
    scene.react = () => 'answer';
    scene.ahead = 21 * hour;
    await expect(scene.change(dispute)).rejects.toMatchObject({
      reason: 'in_doubt',
      earlier: { id: first.record.id },
    });
  });

  test.each([
    ['a post', post],
    ['an endpoint', endpoint],
    ['an appeal', appeal],
  ])('%s in doubt is refused', async (_, request) => {
    const scene = await startScene(() => 'drop');
    await scene.change(request);
    scene.react = () => 'answer';
    await expect(scene.change(request)).rejects.toBeInstanceOf(RefusedError);
    expect(scene.server.received).toHaveLength(1);
    await scene.change({ ...request, allowDuplicate: true });
    expect(scene.server.received).toHaveLength(2);
  });

  test('a post in doubt stays so when another post is created', async () => {
    const scene = await startScene((_, number) => (number === 1 ? 'drop' : 'answer'));
    const first = await scene.change(post);
    await scene.change({ ...post, body: { ...post.body, title: 'Another' } });
    expect(scene.open().get(first.record.id)).toMatchObject({ open: true, overtakenBy: null });
  });

  test('an update in doubt is sent again', async () => {
    const scene = await startScene(() => 'drop');
    const first = await scene.change(rename('A'));
    scene.react = () => 'answer';
    const second = await scene.change(rename('A'));
    expect(second.outcome.kind).toBe('applied');
    expect(scene.open().get(first.record.id).overtakenBy).toBe(second.record.id);
  });
});

describe('a restore', () => {
  const safetyLabel = 'Safety backup';

  test('takes its own safety backup each time, and never reuses one', async () => {
    const scene = await startScene(({ path }) => (path.endsWith('/restore') ? 'drop' : 'answer'));
    const first = await scene.change(restore, { safetyLabel });
    scene.react = () => 'answer';
    const second = await scene.change(restore, { safetyLabel });
    expect(first.outcome.kind).toBe('unknown');
    expect(second.outcome.kind).toBe('applied');
    expect(second.record.safetyBackupId).not.toBe(first.record.safetyBackupId);
    expect(scene.open().get(first.record.id).overtakenBy).toBe(second.record.id);
  });

  test('is not resumed over later work', async () => {
    const scene = await startScene(({ path }) => (path.endsWith('/restore') ? 'drop' : 'answer'));
    const first = await scene.change(restore, { safetyLabel });
    scene.react = () => 'answer';
    expect(await scene.resume(first.record.id)).toMatchObject({ action: 'left', reason: 'needs_yes' });
    const later = await scene.change(rename('B'));
    expect(await scene.resume(first.record.id, { isConfirmed: true, safetyLabel })).toMatchObject({
      action: 'left',
      reason: 'later_change',
      later: { id: later.record.id },
    });
  });

  test('is undone by its safety backup', async () => {
    const scene = await startScene();
    const { record } = await scene.change(restore, { safetyLabel });
    expect(planUndo(scene.open(), undefined)).toMatchObject({
      record: { id: record.id },
      by: 'backup',
      backupId: record.safetyBackupId,
      sections: ['store'],
    });
  });
});

describe('what is undone', () => {
  test('former values are those that were seen last', async () => {
    const scene = await startScene();
    await scene.change(rename('A'));
    const { record } = await scene.change(rename('B'));
    expect(planUndo(scene.open(), record.id)).toMatchObject({
      by: 'fields',
      fields: [{ path: ['name'], former: 'A' }],
    });
  });

  test('without them it is refused, and says which', async () => {
    const scene = await startScene();
    const { record } = await scene.change(rename('A'));
    expect(() => planUndo(scene.open(), record.id)).toThrow(RefusedError);
  });
});

test('a decision in doubt is read before the same command is sent', async () => {
  const scene = await startScene(() => 'drop');
  await scene.change(decision);
  scene.react = ({ method }) => (method === 'POST' ? 'answer' : 'drop');
  await expect(scene.change(decision)).rejects.toMatchObject({ reason: 'in_doubt' });
});

test('a decision that was applied and not reported is reported by the same one, and not sent again', async () => {
  const scene = await startScene(() => ({ status: 200, body: { id: 'd-1', status: 'won' } }));
  const killed = await scene.changeAndDie(decision);
  expect(await scene.change(decision)).toMatchObject({
    isEarlier: true,
    record: { id: killed.record.id },
    outcome: { kind: 'applied' },
  });
  expect(scene.methods()).toEqual(['POST']);
  // Now it is known: asked for once more, it is a question to the service.
  await scene.change(decision);
  expect(scene.methods()).toEqual(['POST', 'POST']);
});

test('another decision than one in doubt that a read shows as applied is not sent', async () => {
  const scene = await startScene(() => 'drop');
  await scene.change(decision);
  scene.server.clear();
  const shown = { record: { id: 'd-1', status: 'won', resolution: 'Delivered' }, evidence: [] };
  scene.react = () => ({ status: 200, body: shown });
  const other = { ...decision, body: { status: 'lost', resolution: 'Too late' } };
  await expect(scene.change(other)).rejects.toMatchObject({ reason: 'changed_meanwhile' });
  expect(scene.methods()).toEqual(['GET']);
});

test('the clock set back between two changes does not put the older value over the newer', async () => {
  const scene = await startScene(() => 'drop');
  const first = await scene.change(rename('A'));
  scene.ahead = -365 * 24 * hour;
  scene.react = () => 'answer';
  await scene.change(rename('B'));
  scene.ahead = 0;
  expect(await scene.resume(first.record.id)).toMatchObject({ action: 'overtaken' });
});
