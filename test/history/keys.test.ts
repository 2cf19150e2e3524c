import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../src/history/record/intent.ts';
import { bodyKeyOf } from '../../src/history/record/keys.ts';
import { damageFirstRequest } from './helpers/damage.ts';
import {
  backup,
  dispute,
  hour,
  rename,
  restore,
  safetyLabel,
  setHistoryScene,
  signalled,
  withKey,
} from './helpers/scene.ts';

const command = {
  operation: 'backup.create',
  path: '/v1/stores/store-1/operations/backups',
  body: '{"label":"nightly","sections":["store","blog"],"idempotencyKey":"K"}',
};

describe('the fingerprint', () => {
  test.each([
    ['the order of fields', { body: '{"sections":["store","blog"],"label":"nightly"}' }],
    ['the idempotency key', { body: '{"label":"nightly","sections":["store","blog"],"idempotencyKey":"L"}' }],
    ['white space', { body: '{ "label": "nightly", "sections": ["store", "blog"] }' }],
  ])('is the same whatever %s', (_, change) => {
    expect(fingerprint({ ...command, ...change })).toBe(fingerprint(command));
  });

  test.each([
    ['the operation', { operation: 'disputes.open' }],
    ['the path', { path: '/v1/stores/store-1/operations/backups/b/restore' }],
    ['a value', { body: '{"label":"weekly","sections":["store","blog"]}' }],
    ['the order of a list', { body: '{"label":"nightly","sections":["blog","store"]}' }],
    ['the type of a value', { body: '{"label":"nightly","sections":"store,blog"}' }],
    ['an idempotencyKey further in', { body: '{"label":"nightly","sections":[{"idempotencyKey":"K"}]}' }],
    ['the absence of a body', { body: null }],
  ])('differs by %s', (_, change) => {
    expect(fingerprint({ ...command, ...change })).not.toBe(fingerprint(command));
  });

  test('a list cannot pass for an object', () => {
    const list = fingerprint({ ...command, body: '{"a":[["b",1]]}' });
    expect(fingerprint({ ...command, body: '{"a":{"b":1}}' })).not.toBe(list);
  });
});

test('the key of a body is its idempotencyKey, if that is a string', () => {
  expect(bodyKeyOf(command)).toBe('K');
  expect(
    [null, '{}', '[]', '"K"', '{"idempotencyKey":5}', 'not JSON'].map((body) => bodyKeyOf({ body })),
  ).toEqual(Array(6).fill(null));
});

describe('a key of the user', () => {
  test('is one effect: given again, it is reported and nothing is sent, also after years of other changes', async () => {
    const scene = await setHistoryScene();
    const first = await scene.change(withKey(backup));
    for (let run = 0; run < 25; run += 1) await scene.change(backup);
    scene.ahead = 3 * 365 * 24 * hour;
    scene.server.clear();
    const earlier: string[] = [];
    const again = await scene.change(withKey(backup), { onEarlier: ({ id }) => earlier.push(id) });
    expect(again).toMatchObject({
      isEarlier: true,
      record: { id: first.record.id },
      outcome: { kind: 'applied', body: { id: 'made-1' } },
    });
    expect(earlier).toEqual([first.record.id]);
    expect(scene.server.received).toEqual([]);
  });

  test('is refused with other arguments, before anything is written or sent', async () => {
    const scene = await setHistoryScene();
    const { record } = await scene.change(withKey(backup));
    scene.ahead = 400 * 24 * hour;
    await expect(
      scene.change(withKey({ ...backup, body: { label: 'weekly', sections: ['store'] } })),
    ).rejects.toMatchObject({ reason: 'key_reused', earlier: { id: record.id } });
    expect(scene.server.received).toHaveLength(1);
    expect(scene.files()).toHaveLength(1);
  });

  test('is another key under another operation', async () => {
    const scene = await setHistoryScene();
    await scene.change(withKey(backup));
    expect((await scene.change(withKey(dispute))).outcome.kind).toBe('applied');
  });

  test.each([
    ['was refused', () => ({ status: 422, body: {} }) as const],
    ['was refused for its API key', () => ({ status: 401, body: {} }) as const],
  ])('may be used again, corrected, once what bore it %s', async (_, react) => {
    const scene = await setHistoryScene(react);
    await scene.change(withKey(backup));
    scene.react = () => 'answer';
    const { outcome } = await scene.change(withKey({ ...backup, body: { label: 'b', sections: ['blog'] } }));
    expect(outcome.kind).toBe('applied');
  });

  test('in doubt is sent again with the same bytes', async () => {
    const scene = await setHistoryScene(() => 'drop');
    const first = await scene.change(withKey(backup));
    scene.react = () => 'answer';
    const second = await scene.change(withKey(backup));
    expect(second).toMatchObject({ record: { id: first.record.id, state: 'applied' } });
    expect(new Set(scene.server.received.map(({ body }) => body)).size).toBe(1);
    expect(scene.server.effects).toEqual(['made-1']);
  });

  test.each([
    ['21 hours later', 21 * hour],
    ['by a clock that was set back', -hour],
  ])('in doubt is not sent again %s', async (_, ahead) => {
    const scene = await setHistoryScene(() => 'drop');
    const { record } = await scene.change(withKey(backup));
    scene.react = () => 'answer';
    scene.server.clear();
    scene.ahead = ahead;
    await expect(scene.change(withKey(backup))).rejects.toMatchObject({
      reason: 'in_doubt',
      earlier: { id: record.id },
    });
    expect(await scene.resume(record.id)).toMatchObject({ action: 'left_open', reason: 'too_old' });
    expect(scene.server.received).toEqual([]);
    expect(await scene.resume(record.id, { isConfirmed: true })).toMatchObject({ action: 'sent' });
  });

  test.each([
    ['a backup, 21 hours later', withKey(backup), backup, 21 * hour],
    ['a restore', withKey(restore), restore, 0],
    ['an update', { ...rename('A'), idempotencyKey: 'mine' }, rename('A'), 0],
  ])(
    'that was superseded is refused where it could overwrite what is later, or be another effect: %s',
    async (_, keyed, later, ahead) => {
      const scene = await setHistoryScene(() => 'drop');
      const { record } = await scene.change(keyed);
      scene.react = () => 'answer';
      await scene.change(later);
      scene.server.clear();
      scene.ahead = ahead;
      await expect(scene.change(keyed)).rejects.toMatchObject({
        reason: 'superseded',
        earlier: { id: record.id },
      });
      expect(scene.server.received).toEqual([]);
    },
  );

  test('of a restore in doubt takes a new safety backup before the same bytes are sent', async () => {
    const scene = await setHistoryScene(({ path }) => (path.endsWith('/restore') ? 'drop' : 'answer'));
    const first = await scene.change(withKey(restore), { safetyLabel });
    scene.react = () => 'answer';
    scene.server.clear();
    const second = await scene.change(withKey(restore), { safetyLabel });
    expect(second).toMatchObject({ outcome: { kind: 'applied' }, record: { id: first.record.id } });
    expect(scene.server.received.map(({ path }) => path.split('/').at(-1))).toEqual(['backups', 'restore']);
    // The first attempt may have been applied, so only the first safety backup is surely one from before the restore.
    expect(second.record.safetyBackupId).toBe(first.record.safetyBackupId);
  });

  test('is refused while a record whose request was lost may have had it', async () => {
    const scene = await setHistoryScene(() => 'drop');
    await scene.change(backup);
    await damageFirstRequest(scene);
    scene.react = () => 'answer';
    scene.server.clear();
    await expect(scene.change(withKey(backup))).rejects.toMatchObject({ reason: 'in_doubt' });
    expect(scene.server.received).toEqual([]);
  });
});

describe('several at once with one key', () => {
  test('have one effect, and all report it', async () => {
    const scene = await setHistoryScene();
    const done = await Promise.all(Array.from({ length: 8 }, () => scene.change(withKey(backup))));
    expect(scene.server.received).toHaveLength(1);
    for (const { outcome } of done)
      expect(outcome).toMatchObject({ kind: 'applied', body: { id: 'made-1' } });
    expect(scene.files()).toHaveLength(1);
  });

  test('the second waits, and reports the outcome of the first instead of sending at once again', async () => {
    const { done: arrived, give: arrive } = signalled();
    const { done: mayEnd, give: end } = signalled();
    const scene = await setHistoryScene(async () => {
      arrive();
      await mayEnd;
      return { status: 503, body: {} };
    });
    const first = scene.change(withKey(backup));
    await arrived;
    const { done: waits, give: wait } = signalled();
    const second = scene.change(withKey(backup), { onWait: wait });
    await waits;
    end();
    const { outcome } = await first;
    const sent = scene.server.received.length;
    expect(outcome.kind).toBe('unknown');
    expect(await second).toMatchObject({
      isEarlier: true,
      outcome: { kind: 'unknown', attempts: outcome.attempts },
    });
    expect(scene.server.received).toHaveLength(sent);
  });
});
