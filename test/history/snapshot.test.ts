import { expect, test } from 'vitest';
import { rename, setHistoryScene } from './helpers/scene.ts';

test('a snapshot stays as it is when the history is listed again, and a log that it has not read yet is read once', async () => {
  const scene = await setHistoryScene(() => 'drop');
  const running = scene.open();
  const { record } = await scene.begin(running, rename('A'));
  const unread = await scene.change(rename('B'));
  const history = scene.open();
  const before = history.snapshot();
  expect(before.get(record.id)).toMatchObject({ state: 'unknown', supersededBy: null });

  await running.end();
  scene.react = () => 'answer';
  const later = await scene.change(rename('C'));
  const after = history.refresh();

  expect(before.get(record.id)).toMatchObject({ state: 'unknown', supersededBy: null });
  expect(before.list().records.map(({ id }) => id)).toEqual([unread.record.id, record.id]);
  expect(after.get(record.id)).toMatchObject({ supersededBy: later.record.id });
  const seen = before.get(unread.record.id);
  await scene.resume(unread.record.id);
  expect(before.get(unread.record.id)).toEqual(seen);
});

test('a snapshot does not change when its own process writes', async () => {
  const scene = await setHistoryScene(() => 'drop');
  await scene.use(async (history) => {
    const { record } = await scene.begin(history, rename('A'));
    const before = history.snapshot();
    const writer = await history.reopen(record.id);
    await writer.change([{ id: record.id, state: 'applied' }]);
    expect(before.get(record.id).state).toBe('unknown');
    expect(history.snapshot().get(record.id).state).toBe('applied');
  });
});
