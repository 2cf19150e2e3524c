import { expect, test } from 'vitest';
import { createQueue } from '../../../src/service/storage/core/queue.ts';

test('tasks of a group run one after the other, beside those of other groups', async () => {
  const queue = createQueue(1, 60_000);
  const seen: string[] = [];
  let release = () => {};
  const first = queue('a', async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    seen.push('a 1');
  });
  const second = queue('a', async () => seen.push('a 2'));
  await queue('b', async () => seen.push('b'));
  release();
  await Promise.all([first, second]);
  expect(seen).toEqual(['b', 'a 1', 'a 2']);
});

test('a task that waits too long is refused as busy, and one that fails makes room', async () => {
  const queue = createQueue(1, 20);
  let fail = () => {};
  const first = queue('a', () => new Promise((_, reject) => (fail = () => reject(new Error('failed')))));
  await expect(queue('a', async () => 'second')).rejects.toMatchObject({ name: 'StorageBusyError' });
  fail();
  await expect(first).rejects.toThrow('failed');
  expect(await queue('a', async () => 'third')).toBe('third');
});
