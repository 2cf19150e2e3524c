import { expect, test } from 'vitest';
import { batchOver, openSlots, type Slot } from '../../../src/history/changes/slots.ts';

/** Requests that go through all stages, and note each. `release` ends the one of this number. */
function startAll(count: number, limits: Parameters<typeof openSlots>[0]) {
  const takeSlot = openSlots(limits);
  const taken: Slot[] = [];
  const seen: string[] = [];
  const run = async (slot: Slot, number: number) => {
    try {
      await slot.waitToRecord();
      seen.push(`record ${number}`);
      await slot.waitToSend();
      seen.push(`send ${number}`);
    } catch (error) {
      seen.push(error === batchOver ? `over ${number}` : String(error));
    }
  };
  for (let number = 0; number < count; number += 1) {
    const slot = takeSlot();
    taken.push(slot);
    void run(slot, number);
  }
  const settled = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return seen.splice(0);
  };
  return { settled, release: (number: number) => taken[number]?.release() };
}

const ofKind = (kind: string, seen: readonly string[]) =>
  seen.filter((event) => event.startsWith(kind)).map((event) => Number(event.split(' ')[1]));

test('as many as may be in flight are sent in order, and no more than as many are recorded ahead', async () => {
  const { settled, release } = startAll(6, { maxAtOnce: () => 2, isOver: () => false });
  const seen = await settled();
  expect(ofKind('send', seen)).toEqual([0, 1]);
  for (const [number, next] of [2, 3, 4, 5].entries()) {
    release(number);
    // A second time changes nothing.
    release(number);
    const more = await settled();
    seen.push(...more);
    expect(ofKind('send', more)).toEqual([next]);
    expect(ofKind('record', seen).length - ofKind('send', seen).length).toBeLessThanOrEqual(2);
  }
  expect(ofKind('record', seen)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a lower limit holds from the next request on', async () => {
  let limit = 3;
  const { settled, release } = startAll(6, { maxAtOnce: () => limit, isOver: () => false });
  expect(ofKind('send', await settled())).toEqual([0, 1, 2]);
  limit = 1;
  release(0);
  release(1);
  expect(ofKind('send', await settled())).toEqual([]);
  release(2);
  expect(ofKind('send', await settled())).toEqual([3]);
});

test('once the batch is over, nothing more is recorded or sent', async () => {
  let isOver = false;
  const { settled, release } = startAll(6, { maxAtOnce: () => 2, isOver: () => isOver });
  await settled();
  isOver = true;
  release(0);
  expect(ofKind('over', await settled())).toEqual([2, 3, 4, 5]);
});
