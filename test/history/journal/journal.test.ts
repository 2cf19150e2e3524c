import { expect, test } from 'vitest';
import { beginLog, reopenLog } from '../../../src/history/journal/open-log.ts';
import { allRecords, beginOne, makeScene } from './scene.ts';
import { applied, intent, post, response, store, unknown } from './values.ts';

test('a change is open from its first line on, and closed when its log is', async () => {
  const { journal, open, files } = makeScene();
  const writer = await beginOne(journal);
  expect(files()).toEqual([`000001-20261123-${writer.id}-backup.create.open.jsonl`]);
  const sent = {
    ...intent,
    ...store,
    id: writer.id,
    number: 1,
    createdAt: '2026-11-23T12:00:00.000Z',
    updatedAt: '2026-11-23T12:00:00.000Z',
    sentAt: '2026-11-23T12:00:00.000Z',
    profile: 'main',
    state: 'sent',
    attempts: 1,
    response: null,
    failure: null,
    overtakenBy: null,
    open: true,
    unreadable: false,
  };
  expect([...writer.records.values()]).toEqual([sent]);
  expect(allRecords(open())).toEqual([sent]);

  expect(await writer.change([applied(writer.id)])).toEqual([{ ...sent, state: 'applied', response }]);
  expect(allRecords(open())).toEqual([{ ...sent, state: 'applied', response }]);
  await writer.close();
  expect(allRecords(open())).toEqual([{ ...sent, state: 'applied', response, open: false }]);
  expect(files()).toEqual([`000001-20261123-${writer.id}-backup.create.jsonl`]);
});

test('a run with many changes', async () => {
  const { journal, open, files } = makeScene();
  const writer = await beginLog(journal, {
    operation: 'blog.create',
    intents: [post('a'), post('b')],
    isBatch: true,
  });
  const c = await writer.add(post('c'));
  expect(c.id).toBe(`${writer.id}.3`);
  await writer.change([applied(`${writer.id}.1`), unknown(`${writer.id}.2`), applied(`${writer.id}.3`)]);
  await writer.close();
  expect(files()).toEqual([`000001-20261123-${writer.id}-blog.create.unsettled.jsonl`]);
  expect(allRecords(open()).map(({ id, state, open }) => [id.slice(6), state, open])).toEqual([
    ['.1', 'applied', false],
    ['.2', 'unknown', true],
    ['.3', 'applied', false],
  ]);
  const again = await reopenLog(open(), writer.id);
  await again.change([applied(`${writer.id}.2`)]);
  expect(allRecords(open()).map((record) => record.open)).toEqual([false, true, false]);
  await again.close();
  expect(files()).toEqual([`000001-20261123-${writer.id}-blog.create.jsonl`]);
  expect(allRecords(open()).map((record) => record.open)).toEqual([false, false, false]);
});
