import { describe, expect, test } from 'vitest';
import {
  backup as backupRequest,
  endpoint,
  hour,
  post,
  restore,
  safetyLabel,
  setHistoryScene,
} from './helpers/scene.ts';

describe('the same content within a day', () => {
  test.each([
    ['a post', post, 'blog'],
    ['an endpoint', endpoint, 'endpoints'],
  ])('%s is refused, until a restore has removed the first one', async (_, request, section) => {
    const scene = await setHistoryScene();
    const saved = await scene.change({ ...backupRequest, body: { label: 'before', sections: [section] } });
    expect(saved.outcome.kind).toBe('applied');
    const first = await scene.change(request);
    scene.ahead = 23 * hour;
    await expect(scene.change(request)).rejects.toMatchObject({
      reason: 'duplicate',
      earlier: { id: first.record.id },
    });
    const restored = await scene.change(
      { ...restore, parameters: { backupId: 'made-1' }, body: { sections: [section] } },
      { safetyLabel },
    );
    expect(restored.outcome.kind).toBe('applied');
    const again = await scene.change(request);
    expect(again.outcome.kind).toBe('applied');
    await expect(scene.change(request)).rejects.toMatchObject({
      reason: 'duplicate',
      earlier: { id: again.record.id },
    });
  });

  test.each([
    ['a day later', post, 25 * hour],
    ['by a clock that was set forth a year', post, 365 * 24 * hour],
  ])('is no matter %s', async (_, request, ahead) => {
    const scene = await setHistoryScene();
    await scene.change(request);
    scene.ahead = ahead;
    expect((await scene.change(request)).outcome.kind).toBe('applied');
  });

  test('counts by a clock that was set back', async () => {
    const scene = await setHistoryScene();
    await scene.change(post);
    scene.ahead = -365 * 24 * hour;
    await expect(scene.change(post)).rejects.toMatchObject({ reason: 'duplicate' });
  });
});
