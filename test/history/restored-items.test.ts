import { describe, expect, test } from 'vitest';
import type { RecordOutline } from '../../src/history/records/outline.ts';
import { fatesAfterRestores } from '../../src/history/restored-items.ts';

const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 12, minute)).toISOString();

/** An applied record; `served` is the minute by the clock of the service. */
function record(operation: string, minute: number, more: Partial<RecordOutline> & { served?: number } = {}) {
  const { served = minute, ...fields } = more;
  const body = JSON.stringify({ id: fields.id, createdAt: at(served) });
  const answer = { status: 200, receivedAt: at(minute), body };
  const base = { id: '', origin: 'o', storeId: 's', path: '/', state: 'applied', answer };
  return { ...base, operation, createdAt: at(minute), ...fields };
}

const backup = (id: string, minute: number) => record('backup.create', minute, { id });
const restore = (id: string, minute: number, more: Partial<RecordOutline> = {}) =>
  record('backup.restore', minute, {
    path: `/backups/${id}/restore`,
    body: '{"sections":["blog"]}',
    ...more,
  });
const post = (minute: number, served = minute) => record('blog.create', minute, { served });

describe('the fate of a post', () => {
  test.each([
    ['created between backup and restore', 'gone', post(20), [backup('a', 10), restore('a', 30)]],
    ['older than the backup', 'exists', post(5), [backup('a', 10), restore('a', 30)]],
    ['created after the restore', 'exists', post(40), [backup('a', 10), restore('a', 30)]],
    [
      'brought back by a later restore',
      'exists',
      post(20),
      [backup('a', 10), backup('b', 25), restore('a', 30), restore('b', 40)],
    ],
    [
      'brought back by a backup of a time when it was gone',
      'gone',
      post(20),
      [backup('a', 10), restore('a', 30), backup('b', 35), restore('b', 40)],
    ],
    ['a backup of another machine', 'maybe', post(20), [restore('a', 30)]],
    [
      'a restore in doubt',
      'maybe',
      post(20),
      [backup('a', 10), restore('a', 30, { state: 'unknown', answer: null })],
    ],
    [
      'a restore that was refused',
      'exists',
      post(20),
      [backup('a', 10), restore('a', 30, { state: 'rejected' })],
    ],
    // The clock of this machine went wrong: by the clock of the service, the post is older than the backup.
    ['another order by the service', 'maybe', post(20, 9), [backup('a', 10), restore('a', 30)]],
    [
      'newer than the safety backup by the service',
      'maybe',
      post(20, 40),
      [backup('a', 10), backup('safety', 29), restore('a', 30, { safetyBackupId: 'safety' })],
    ],
  ])('%s: %s', (_what, fate, one, others) => {
    expect(fatesAfterRestores(one.operation, [one, ...others])(one)).toBe(fate);
  });
});
