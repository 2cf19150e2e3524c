import { expect, test } from 'vitest';
import { gather, oncePerTurn } from '../../../../src/service/storage/embedded/gather.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Something that comes in with each turn of the event loop, so many times. */
function arrivals(turns: number) {
  const state = { count: 1 };
  (async () => {
    while (state.count < turns) {
      await nextTurn();
      state.count += 1;
    }
  })();
  return state;
}

test('what is gathered waits until a turn brings no more', async () => {
  const state = arrivals(10);
  await gather(() => state.count, 100);
  expect(state.count).toBe(10);
});

test('what never ends is not waited for', async () => {
  const state = arrivals(1_000);
  await gather(() => state.count, 20);
  expect(state.count).toBeLessThan(30);
});

test('something is made once for a turn, and anew in the next, even when the first cannot be made', async () => {
  let made = 0;
  const number = oncePerTurn(() => {
    made += 1;
    if (made === 1) throw new Error('not yet');
    return made;
  });
  expect(number).toThrow('not yet');
  await Promise.resolve();
  expect([number(), number()]).toEqual([2, 2]);
  await nextTurn();
  expect([number(), number()]).toEqual([3, 3]);
});
