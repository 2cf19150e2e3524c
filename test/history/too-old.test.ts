import { describe, expect, test } from 'vitest';
import {
  backup,
  decision,
  dispute,
  hour,
  markRead,
  rename,
  replacedSettings,
  restore,
  safetyLabel,
  save,
  setHistoryScene,
} from './helpers/scene.ts';

/** What a read answers while nothing was applied. */
const untouched = { ...replacedSettings, record: { id: 'd-1', status: 'open' }, evidence: [] };

describe.each([
  ['a store update', rename('A')],
  ['settings', save],
  ['a dispute', dispute],
  ['a backup', backup],
  ['a restore', restore],
  ['a notification that is marked read', markRead],
])('%s in doubt', (_, request) => {
  test.each([
    ['for more than 20 hours', 21 * hour],
    ['since a time in the future', -hour],
  ])('%s is sent only after a yes', async (_when, ahead) => {
    const scene = await setHistoryScene(() => 'drop');
    const { record } = await scene.change(request);
    scene.react = ({ method }) => (method === 'GET' ? { status: 200, body: untouched } : 'answer');
    scene.server.clear();
    scene.ahead = ahead;
    expect(await scene.resume(record.id, { safetyLabel })).toMatchObject({
      action: 'left_open',
      reason: 'too_old',
    });
    expect(scene.methods().filter((method) => method !== 'GET')).toEqual([]);
    expect(scene.open().snapshot().get(record.id)).toMatchObject({ state: 'unknown', open: true });

    expect(await scene.resume(record.id, { safetyLabel, isConfirmed: true })).toMatchObject({
      action: 'sent',
      outcome: { kind: 'applied' },
    });
  });
});

test('a decision that has been in doubt for years is still settled by reading', async () => {
  const scene = await setHistoryScene(() => 'drop');
  const { record } = await scene.change(decision);
  scene.ahead = 2 * 365 * 24 * hour;
  scene.react = () => ({ status: 200, body: { record: { id: 'd-1', ...decision.body }, evidence: [] } });
  expect(await scene.resume(record.id)).toMatchObject({ action: 'settled' });
});
