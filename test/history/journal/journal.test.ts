import { expect, test } from 'vitest';
import { allRecords, beginOne, setJournalScene } from './scene.ts';
import { applied, intent, response, store } from './values.ts';

test('a change is open from its first line on, and closed when its log is', async () => {
  const { journal, open, files } = setJournalScene();
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
    supersededBy: null,
    open: true,
    requestLost: false,
  };
  expect([...writer.records.values()]).toEqual([sent]);
  expect(allRecords(open())).toEqual([sent]);

  await writer.change([applied(writer.id)]);
  expect([...writer.records.values()]).toEqual([{ ...sent, state: 'applied', response }]);
  expect(allRecords(open())).toEqual([{ ...sent, state: 'applied', response }]);
  await writer.close();
  expect(allRecords(open())).toEqual([{ ...sent, state: 'applied', response, open: false }]);
  expect(files()).toEqual([`000001-20261123-${writer.id}-backup.create.jsonl`]);
});
