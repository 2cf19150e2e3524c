import { expect, test } from 'vitest';
import { lastSeen } from '../../src/history/changes/former.ts';
import type { HistoryRecord } from '../../src/history/journal/history-record.ts';
import { takenBackIn } from '../../src/history/objects/known-objects.ts';
import { createRandom } from '../torture/random.ts';
import { recordOf } from './helpers/records.ts';

const fields = ['name', 'locale', 'slug'];
const sections = ['store', 'blog'];

/** A store that one machine changes, and the history of it, newest first. */
function newStore() {
  const records: HistoryRecord[] = [];
  const backups: { values: Record<string, unknown>; posts: ReadonlySet<string> }[] = [];
  const record = (operation: string, body: unknown, answer: unknown, more: Partial<HistoryRecord> = {}) => {
    const response = {
      ...{ body: JSON.stringify(answer), receivedAt: '2026-11-21T05:30:00.000Z' },
      problem: null,
    };
    const made = recordOf(operation, records.length + 1, { body: JSON.stringify(body), ...more });
    records.unshift({ ...made, response: response as HistoryRecord['response'] });
  };
  const store = {
    records,
    backups,
    values: {} as Record<string, unknown>,
    posts: new Set() as ReadonlySet<string>,
    update(change: Record<string, unknown>, undoes: string | null = null) {
      store.values = { ...store.values, ...change };
      record('store.update', change, store.values, { undoes });
    },
    post() {
      const id = `p${records.length}`;
      store.posts = new Set([...store.posts, id]);
      record('blog.create', { title: id }, { id });
    },
    backUp() {
      backups.push({ values: store.values, posts: store.posts });
      record('backup.create', { sections }, { id: `b${backups.length - 1}` });
      return backups.length - 1;
    },
    restore(number: number, chosen: readonly string[], undoes: string | null = null) {
      const safety = store.backUp();
      if (chosen.includes('store')) store.values = backups[number]?.values ?? {};
      if (chosen.includes('blog')) store.posts = backups[number]?.posts ?? new Set();
      const path = `/v1/stores/s/operations/backups/b${number}/restore`;
      record('backup.restore', { sections: chosen }, {}, { path, undoes, safetyBackupId: String(safety) });
    },
    /** By the former values, if the change is an update, else by the safety backup. */
    undo({ id, body, safetyBackupId, number }: HistoryRecord) {
      const sent = JSON.parse(body ?? '{}');
      if (safetyBackupId !== null) return store.restore(Number(safetyBackupId), sent.sections, id);
      const before = lastSeen('store.update', records.slice(records.length - number + 1))?.document ?? {};
      store.update(Object.fromEntries(Object.keys(sent).map((name) => [name, before[name] ?? null])), id);
    },
  };
  return store;
}

test('what restores and undos have taken back is gone from the store, and what was seen last is there', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = createRandom(seed);
    const store = newStore();
    for (let step = 0; step < 14; step += 1) {
      const some = () => random.pick([['store'], ['blog'], sections]);
      const undoable = store.records.filter(
        (one) => /update|restore/.test(one.operation) && takenBackIn(store.records).by(one) === undefined,
      );
      random.pick([
        () =>
          store.update({
            [random.pick(fields)]: `v${step}`,
            ...(random.chance(0.5) && { slug: `s${step}` }),
          }),
        () => store.post(),
        () => store.backUp(),
        () => store.backups.length > 0 && store.restore(random.pick([...store.backups.keys()]), some()),
        () => undoable.length > 0 && store.undo(random.pick(undoable)),
      ])();
      const { by } = takenBackIn(store.records);
      const posts = store.records.filter(({ operation }) => operation === 'blog.create');
      const there = posts
        .filter((one) => by(one) === undefined)
        .map(({ body }) => JSON.parse(body ?? '').title);
      expect(there.sort(), `seed ${seed}`).toEqual([...store.posts].sort());
      const seen = lastSeen('store.update', store.records);
      for (const name of seen === null ? [] : fields)
        expect(seen?.valueAt([name]), `seed ${seed}`).toBe(store.values[name] ?? null);
    }
  }
});
