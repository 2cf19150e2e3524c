import { describe, expect, test } from 'vitest';
import type { HistoryRecord } from '../../src/history/journal/history-record.ts';
import { knownObjects, takenBackIn } from '../../src/history/objects/known-objects.ts';
import { recordOf } from './helpers/records.ts';
import {
  backup as backupRequest,
  endpoint,
  hour,
  post,
  restore,
  safetyLabel,
  startScene,
} from './helpers/scene.ts';

const response = (id: string) => ({
  ...{ status: 201, body: JSON.stringify({ id }), receivedAt: '2026-11-21T05:30:00.000Z', problem: null },
  ...{ requestId: null, etag: null, replayed: false, retryAt: null, settledByReading: false },
});
const backup = (id: string, number: number) => recordOf('backup.create', number, { response: response(id) });
const restoreOf = (id: string, number: number, change: Partial<HistoryRecord> = {}) =>
  recordOf('backup.restore', number, {
    path: `/v1/stores/s/operations/backups/${id}/restore`,
    body: '{"sections":["blog"]}',
    ...change,
  });
const postAt = (number: number) => recordOf('blog.create', number, { response: response(`p-${number}`) });

describe('a post', () => {
  test.each<[string, boolean, HistoryRecord, HistoryRecord[]]>([
    ['created between backup and restore', false, postAt(20), [backup('a', 10), restoreOf('a', 30)]],
    ['older than the backup', true, postAt(5), [backup('a', 10), restoreOf('a', 30)]],
    ['created after the restore', true, postAt(40), [backup('a', 10), restoreOf('a', 30)]],
    [
      'of another section than the restore',
      true,
      postAt(20),
      [backup('a', 10), restoreOf('a', 30, { body: '{"sections":["store"]}' })],
    ],
    ['before a restore of a backup of another machine', true, postAt(20), [restoreOf('a', 30)]],
    [
      'before a restore in doubt',
      true,
      postAt(20),
      [backup('a', 10), restoreOf('a', 30, { state: 'unknown' })],
    ],
    [
      'before a refused restore',
      true,
      postAt(20),
      [backup('a', 10), restoreOf('a', 30, { state: 'rejected' })],
    ],
  ])('%s: it exists: %s', (_, exists, created, others) => {
    expect(takenBackIn([created, ...others]).by(created) === undefined).toBe(exists);
    expect(knownObjects('post', [created, ...others])).toHaveLength(exists ? 1 : 0);
  });
});

describe('the same content within a day', () => {
  test.each([
    ['a post', post, 'blog'],
    ['an endpoint', endpoint, 'endpoints'],
  ])('%s is refused, until a restore has removed the first one', async (_, request, section) => {
    const scene = await startScene();
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
    const scene = await startScene();
    await scene.change(request);
    scene.ahead = ahead;
    expect((await scene.change(request)).outcome.kind).toBe('applied');
  });

  test('counts by a clock that was set back', async () => {
    const scene = await startScene();
    await scene.change(post);
    scene.ahead = -365 * 24 * hour;
    await expect(scene.change(post)).rejects.toMatchObject({ reason: 'duplicate' });
  });
});
