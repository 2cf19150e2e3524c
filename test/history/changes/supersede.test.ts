import { describe, expect, test } from 'vitest';
import {
  backup,
  endpoint,
  markRead,
  post,
  rename,
  restore,
  safetyLabel,
  save,
  setHistoryScene,
  update,
} from '../helpers/scene.ts';

const restoreOf = (...sections: string[]) => ({ ...restore, body: { sections } });

/** The state of an earlier change, in doubt, once a later one was applied. */
async function afterLater(
  earlier: Parameters<Awaited<ReturnType<typeof setHistoryScene>>['change']>[0],
  later: typeof earlier,
) {
  const scene = await setHistoryScene(() => 'drop');
  const lost = await scene.change(earlier);
  expect(lost.outcome.kind).toBe('unknown');
  scene.react = () => 'answer';
  const applied = await scene.change(later, { safetyLabel });
  expect(applied.outcome.kind).toBe('applied');
  scene.server.clear();
  return { scene, earlier: scene.open().snapshot().get(lost.record.id), later: applied.record };
}

describe('a doubt is superseded', () => {
  test.each([
    ['an update by the same one', rename('A'), rename('A')],
    ['an update', update({ name: 'A' }), update({ name: 'B', locale: 'en' })],
    [
      'an update of a nested field',
      update({ settings: { cashbackBp: 1 } }),
      update({ settings: { cashbackBp: 2 } }),
    ],
    ['an update by a restore of the store', rename('A'), restoreOf('store', 'blog')],
    ['a save by a restore of the settings', save, restoreOf('settings')],
    ['a restore by the same one', restoreOf('store'), restoreOf('store')],
    ['a restore by one of more sections', restoreOf('store'), restoreOf('store', 'blog')],
    ['a backup by the same one', backup, backup],
  ])('once everything that it sets was set later: %s', async (_, first, second) => {
    const { scene, earlier, later } = await afterLater(first, second);
    expect(earlier).toMatchObject({ state: 'unknown', supersededBy: later.id, open: false });
    expect(await scene.resume(earlier.id, { isConfirmed: true })).toMatchObject({ action: 'superseded' });
    expect(scene.server.received).toEqual([]);
  });
});

test('a doubt is superseded, too, where its log was held while the later change was applied', async () => {
  const scene = await setHistoryScene(() => 'drop');
  const running = scene.open();
  const lost = await scene.begin(running, rename('A'));
  scene.react = () => 'answer';
  const later = await scene.change(rename('B'));
  await running.end();
  const expected = { action: 'superseded', record: { supersededBy: later.record.id } };
  expect(await scene.resume(lost.record.id)).toMatchObject(expected);
});

describe('a doubt stays', () => {
  test.each([
    ['an update of other fields', rename('A'), update({ locale: 'en' }), 'sent'],
    ['an update of some of its fields', update({ name: 'A', locale: 'en' }), rename('B'), 'left_open'],
    ['a restore of another section', rename('A'), restoreOf('blog'), 'sent'],
    ['another post', post, { ...post, body: { title: 'Other', contentMd: 'x' } }, 'left_open'],
    ['another endpoint', endpoint, { ...endpoint, body: { ...endpoint.body, name: 'Other' } }, 'left_open'],
    ['a restore of the blog', post, restoreOf('blog'), 'left_open'],
    ['another backup', backup, { ...backup, body: { label: 'weekly', sections: ['store'] } }, 'sent'],
    ['an update of what it restores', restoreOf('store'), rename('B'), 'left_open'],
    ['a post into what it restores', restoreOf('blog'), post, 'left_open'],
    ['a restore of a part', restoreOf('store', 'blog'), restoreOf('blog'), 'left_open'],
    ['marks', markRead, { ...markRead, body: { ids: ['n-2'] } }, 'sent'],
  ])('after %s', async (_, first, second, action) => {
    const { scene, earlier } = await afterLater(first, second);
    expect(earlier).toMatchObject({ supersededBy: null, open: true });
    const resumed = await scene.resume(earlier.id, { isConfirmed: true });
    expect(resumed.action).toBe(action);
    expect(scene.methods().filter((method) => method !== 'GET')).toEqual(
      action === 'left_open' ? [] : [expect.stringMatching(/POST|PATCH/)],
    );
  });

  test('after a later change that was refused, or is in doubt itself', async () => {
    const scene = await setHistoryScene(() => 'drop');
    const first = await scene.change(rename('A'));
    const second = await scene.change(rename('B'));
    scene.react = () => ({ status: 422, body: {} });
    await scene.change(rename('C'));
    expect(await scene.resume(first.record.id)).toMatchObject({
      action: 'left_open',
      reason: 'later_change',
      laterChange: { id: second.record.id },
    });
    scene.react = () => 'answer';
    expect(await scene.resume(second.record.id)).toMatchObject({ action: 'sent' });
    expect(await scene.resume(first.record.id)).toMatchObject({ action: 'superseded' });
  });
});

test('a post in doubt stays refused, whatever other posts are published', async () => {
  const scene = await setHistoryScene(() => 'drop');
  await scene.change(post);
  scene.react = () => 'answer';
  await scene.change({ ...post, body: { title: 'Other', contentMd: 'x' } });
  await expect(scene.change(post)).rejects.toMatchObject({ reason: 'in_doubt' });
});

test('of several open backups of one command only the newest is sent', async () => {
  const scene = await setHistoryScene(() => 'drop');
  const first = await scene.change(backup);
  const second = await scene.change(backup);
  scene.react = () => 'answer';
  expect(await scene.resume(first.record.id)).toMatchObject({
    action: 'left_open',
    reason: 'later_change',
    laterChange: { id: second.record.id },
  });
  expect(await scene.resume(second.record.id)).toMatchObject({
    action: 'sent',
    outcome: { kind: 'applied' },
  });
  expect(await scene.resume(first.record.id)).toMatchObject({ action: 'superseded' });
});
