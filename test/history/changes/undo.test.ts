import { describe, expect, test } from 'vitest';
import { markRecords } from '../../../src/history/changes/resume.ts';
import { planUndo, waitForRunning, withReplacedValues } from '../../../src/history/changes/undo.ts';
import type { RefusedError } from '../../../src/history/record/errors.ts';
import { damageFirstRequest } from '../helpers/damage.ts';
import {
  backup,
  type HistoryScene,
  hour,
  post,
  rename,
  replacedSettings,
  restore,
  safetyLabel,
  save,
  setHistoryScene,
  signalled,
  update,
} from '../helpers/scene.ts';

const plan = (scene: HistoryScene, id?: string) => planUndo(scene.open().snapshot(), id);

/** A store that was renamed to A and then to B, and the record of the second change. */
async function renamedTwice() {
  const scene = await setHistoryScene();
  await scene.change(rename('A'));
  const { record } = await scene.change(rename('B'));
  return { scene, record };
}

/** Why a change cannot be undone. */
function refusal(scene: HistoryScene, id?: string): Partial<RefusedError> {
  try {
    plan(scene, id);
  } catch (error) {
    return error as RefusedError;
  }
  throw new Error('it can be undone');
}

/** Takes back a change of single fields, as the command does. */
async function undo(scene: HistoryScene, id?: string) {
  const found = plan(scene, id);
  if (found.by === 'backup') throw new Error('this is not undone by fields');
  const seenLater = found.later.map(({ id }) => id);
  return scene.change({
    ...update(withReplacedValues({}, found.fields)),
    undoes: found.record.id,
    seenLater,
  });
}

const sent = (scene: HistoryScene) => scene.server.received.map(({ body }) => JSON.parse(body));

describe('former values of single fields', () => {
  test('are those that were seen last, nested ones too', async () => {
    const scene = await setHistoryScene();
    await scene.change(update({ name: 'A', settings: { cashbackBp: 1, other: true } }));
    const second = { ...update({ name: 'B', settings: { cashbackBp: 2 } }), safetyBackupId: 'b-1' };
    const { record } = await scene.change(second);
    expect(record.safetyBackupId).toBe('b-1');
    expect(plan(scene, record.id)).toMatchObject({
      by: 'fields',
      later: [],
      fields: [
        { path: ['name'], replaced: 'A', changed: 'B' },
        { path: ['settings', 'cashbackBp'], replaced: 1, changed: 2 },
      ],
    });
  });

  test('are null where the store had no value', async () => {
    const scene = await setHistoryScene();
    await scene.change(rename('A'));
    const { record } = await scene.change(update({ slogan: 'Hi' }));
    expect(plan(scene, record.id)).toMatchObject({ fields: [{ path: ['slogan'], replaced: null }] });
  });

  test.each([
    ['was never seen', async () => {}],
    [
      'may have been changed by a restore since',
      async (scene: HistoryScene) => {
        await scene.change(rename('A'));
        await scene.change(restore, { safetyLabel });
      },
    ],
    [
      'may have been changed by an update in doubt since',
      async (scene: HistoryScene) => {
        await scene.change(rename('A'));
        scene.react = () => 'drop';
        await scene.change(rename('?'));
        scene.react = () => 'answer';
      },
    ],
    [
      'was changed by an update that only a person knows of',
      async (scene: HistoryScene) => {
        await scene.change(rename('A'));
        scene.react = () => 'drop';
        const { record } = await scene.change(rename('?'));
        await scene.use((history) => markRecords(history, record.id, 'applied'));
        scene.react = () => 'answer';
      },
    ],
  ])('are not known where the value %s: it is named, and nothing is undone', async (_, before) => {
    const scene = await setHistoryScene();
    await before(scene);
    const { record } = await scene.change(rename('B'));
    expect(refusal(scene, record.id)).toMatchObject({
      reason: 'replaced_unknown',
      earlier: { id: record.id },
      fields: ['name'],
    });
  });

  test('are known in spite of a change of other fields, or of another section', async () => {
    const scene = await setHistoryScene();
    await scene.change(update({ name: 'A', locale: 'en' }));
    scene.react = () => 'drop';
    await scene.change(update({ locale: 'de' }));
    scene.react = () => 'answer';
    await scene.change({ ...restore, body: { sections: ['blog'] } });
    const { record } = await scene.change(rename('B'));
    expect(plan(scene, record.id)).toMatchObject({ fields: [{ path: ['name'], replaced: 'A' }] });
  });
});

describe('the newest change', () => {
  test('is the newest of those that can be undone and was not', async () => {
    const { scene, record } = await renamedTwice();
    const c = await scene.change(rename('C'));
    await scene.change(post);
    await scene.change(backup);
    expect(plan(scene)).toMatchObject({ record: { id: c.record.id } });
    await undo(scene);
    expect(plan(scene)).toMatchObject({ record: { id: record.id } });
    expect(sent(scene).at(-1)).toEqual({ name: 'B' });
  });

  test('is not one that has changed nothing', async () => {
    const { scene, record } = await renamedTwice();
    await scene.change(rename('B'));
    expect(plan(scene)).toMatchObject({ record: { id: record.id } });
  });

  test('is not one that was undone, unless that was undone itself; nothing is concluded about others', async () => {
    const scene = await setHistoryScene();
    await scene.change(update({ name: 'A', locale: 'en' }));
    const b = await scene.change(update({ name: 'B', locale: 'de' }));
    const c = await scene.change(rename('C'));
    const { record: undone } = await undo(scene, b.record.id);
    expect(plan(scene)).toMatchObject({ record: { id: c.record.id } });
    expect(refusal(scene, b.record.id)).toMatchObject({ reason: 'already_undone' });
    await undo(scene, undone.id);
    expect(plan(scene, b.record.id)).toMatchObject({ record: { id: b.record.id } });
  });

  test('is refused where no change can be undone', async () => {
    const scene = await setHistoryScene();
    expect(refusal(scene)).toMatchObject({ reason: 'nothing_to_undo', earlier: null });
    await scene.change(post);
    expect(refusal(scene)).toMatchObject({ reason: 'nothing_to_undo' });
  });

  test('in doubt has to be settled first', async () => {
    const scene = await setHistoryScene();
    await scene.change(rename('A'));
    scene.react = () => 'drop';
    const { record } = await scene.change(rename('B'));
    expect(refusal(scene)).toMatchObject({ reason: 'in_doubt', earlier: { id: record.id } });
  });

  test('is the newest by its number, whatever the clock said', async () => {
    const scene = await setHistoryScene();
    await scene.change(rename('A'));
    scene.ahead = -365 * 24 * hour;
    const { record } = await scene.change(rename('B'));
    scene.ahead = 0;
    expect(plan(scene)).toMatchObject({ record: { id: record.id }, fields: [{ replaced: 'A' }] });
  });
});

describe('an undo', () => {
  test('can be undone, and then the change can be undone again', async () => {
    const { scene, record: change } = await renamedTwice();
    const { record: undone } = await undo(scene, change.id);
    expect(undone).toMatchObject({ undoes: change.id, state: 'applied' });
    expect(refusal(scene, change.id)).toMatchObject({ reason: 'already_undone', earlier: { id: change.id } });
    const { record: redone } = await undo(scene, undone.id);
    expect(redone.undoes).toBe(undone.id);
    expect(refusal(scene, undone.id)).toMatchObject({ reason: 'already_undone' });
    await undo(scene, change.id);
    expect(sent(scene).map(({ name }) => name)).toEqual(['A', 'B', 'A', 'B', 'A']);
  });

  test('in doubt has to be settled first', async () => {
    const { scene, record } = await renamedTwice();
    scene.react = () => 'drop';
    const undone = await undo(scene);
    expect(undone.outcome.kind).toBe('unknown');
    for (const id of [record.id, undefined])
      expect(refusal(scene, id)).toMatchObject({ reason: 'in_doubt', earlier: { id: undone.record.id } });
  });

  test('that was refused leaves the change as it is', async () => {
    const { scene, record } = await renamedTwice();
    scene.react = () => ({ status: 422, body: {} });
    await undo(scene);
    expect(plan(scene)).toMatchObject({ record: { id: record.id } });
  });

  test('names later changes of the same fields, newest first', async () => {
    const { scene, record } = await renamedTwice();
    const c = await scene.change(update({ name: 'C', locale: 'en' }));
    await scene.change(update({ locale: 'de' }));
    const d = await scene.change(restore);
    scene.react = () => ({ status: 200, body: { sections: { store: { changed: ['locale'] } } } });
    await scene.change(restore);
    expect(plan(scene, record.id).later.map(({ id }) => id)).toEqual([d.record.id, c.record.id]);
  });
});

describe('settings', () => {
  test('get the former values at the paths that the change set', async () => {
    const scene = await setHistoryScene(() => ({
      status: 200,
      body: { showcase: { enabled: true }, env: 'live' },
    }));
    const { record } = await scene.change(save);
    const found = plan(scene, record.id);
    expect(found).toMatchObject({
      by: 'document',
      fields: [{ path: ['showcase', 'enabled'], replaced: replacedSettings.showcase.enabled, changed: true }],
    });
    const present = { showcase: { enabled: true, summary: 'of somebody else' }, env: 'live' };
    expect(found.by === 'document' && withReplacedValues(present, found.fields)).toEqual({
      showcase: { enabled: false, summary: 'of somebody else' },
      env: 'live',
    });
  });

  test('whose former document is not known are not undone', async () => {
    const scene = await setHistoryScene(() => ({ status: 200, body: {} }));
    const { record } = await scene.change({ ...save, replaced: null });
    const fields = ['showcase.enabled', 'links'];
    expect(refusal(scene, record.id)).toMatchObject({ reason: 'replaced_unknown', fields });
  });
});

describe('a restore', () => {
  test('is undone by its safety backup; later changes of its sections are named', async () => {
    const scene = await setHistoryScene();
    const { record } = await scene.change(restore, { safetyLabel });
    const later = await scene.change(rename('B'));
    await scene.change(post);
    expect(plan(scene, record.id)).toMatchObject({
      by: 'backup',
      record: { id: record.id },
      backupId: record.safetyBackupId,
      sections: ['store'],
      later: [{ id: later.record.id }],
    });
  });

  test('without a safety backup is not undone', async () => {
    const scene = await setHistoryScene();
    const { record } = await scene.change(restore);
    expect(refusal(scene, record.id)).toMatchObject({ reason: 'no_safety_backup' });
  });
});

describe('what is refused', () => {
  test.each([
    ['a post', post],
    ['a backup', backup],
  ])('%s', async (_, request) => {
    const scene = await setHistoryScene();
    const { record } = await scene.change(request);
    expect(refusal(scene, record.id)).toMatchObject({ reason: 'not_undoable', earlier: { id: record.id } });
  });

  test('a change that was never applied, or may not have been', async () => {
    const scene = await setHistoryScene();
    await scene.change(rename('A'));
    scene.react = () => ({ status: 422, body: {} });
    const refused = await scene.change(rename('B'));
    expect(refusal(scene, refused.record.id)).toMatchObject({ reason: 'never_applied' });
    scene.react = () => 'drop';
    const lost = await scene.change(rename('C'));
    expect(refusal(scene, lost.record.id)).toMatchObject({ reason: 'in_doubt' });
  });

  test('an id that there is not', async () => {
    const scene = await setHistoryScene();
    expect(refusal(scene, 'abcdef')).toMatchObject({ code: 'record_not_found' });
  });

  test('everything while the history is damaged', async () => {
    const { scene, record } = await renamedTwice();
    await damageFirstRequest(scene, { repair: false });
    expect(refusal(scene, record.id)).toMatchObject({ code: 'history_damaged' });
  });
});

test('an undo whose change was changed again since the user looked is refused, and sends nothing', async () => {
  const { scene, record } = await renamedTwice();
  const later = (await scene.change(rename('C'))).record.id;
  const sent = scene.server.received.length;
  const undo = { ...rename('A'), undoes: record.id };
  await expect(scene.change(undo)).rejects.toMatchObject({
    reason: 'changed_meanwhile',
    earlier: { id: later },
  });
  expect(scene.server.received).toHaveLength(sent);
  expect(await scene.change({ ...undo, seenLater: [later] })).toMatchObject({ outcome: { kind: 'applied' } });
});

test.each([
  ['the undo of the same change', async (scene: HistoryScene) => undo(scene)],
  ['a change', (scene: HistoryScene) => scene.change(rename('C'))],
])('an undo waits for %s that another process is sending, and does not call it in doubt', async (_, send) => {
  const { scene, record } = await renamedTwice();
  const { done: arrived, give: arrive } = signalled();
  const { done: mayEnd, give: end } = signalled();
  scene.react = async () => {
    arrive();
    await mayEnd;
    return 'answer' as const;
  };
  const first = send(scene);
  await arrived;
  expect(refusal(scene)).toMatchObject({ reason: 'in_doubt' });
  const { done: waits, give: wait } = signalled();
  const waited = waitForRunning(scene.open(), { client: scene.client, onWait: wait });
  await waits;
  end();
  const { record: running } = await first;
  await waited;
  if (running.undoes === null) expect(plan(scene).record.id).toBe(running.id);
  else expect(refusal(scene, record.id)).toMatchObject({ reason: 'already_undone' });
});
