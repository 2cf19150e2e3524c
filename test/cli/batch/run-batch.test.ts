import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { forEachConcurrently } from '../../../src/cli/batch/run-batch.ts';

test('once one has failed nothing more begins, and what is running is waited for', async () => {
  const begun: number[] = [];
  const ended: number[] = [];

  const all = forEachConcurrently([1, 2, 3, 4, 5, 6], 2, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error('a bug');
    await sleep(20);
    ended.push(item);
  });

  await expect(all).rejects.toThrow('a bug');
  expect({ begun, ended }).toEqual({ begun: [1, 2], ended: [2] });
});
