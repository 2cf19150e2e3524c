import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listLogs } from '../../../src/history/journal/log-folder.ts';
import { reopenLog } from '../../../src/history/journal/open-log.ts';
import { buildChildren, type Children } from '../../helpers/children.ts';
import type { ChildTask } from './child.ts';
import { allRecords, beginOne, setJournalScene } from './scene.ts';
import { applied } from './values.ts';

let children: Children<ChildTask>;

beforeAll(async () => {
  children = await buildChildren(path.join(import.meta.dirname, 'child.ts'));
});

afterAll(() => children.remove());

test('processes share a folder: each log is whole, and has a different id', async () => {
  const { folder, open } = setJournalScene();
  const writers = [1, 2, 3, 4].map(() => children.start({ folder, count: 8 }));
  const ids = (await Promise.all(writers.map(({ ended }) => ended)))
    .map(({ stdout, stderr }) => stdout + stderr)
    .join('')
    .trim()
    .split('\n');
  expect(new Set(ids).size).toBe(32);
  const logs = listLogs(open());
  expect(logs.map(({ id }) => id).sort()).toEqual([...ids].sort());
  // All have added one to the same log.
  expect(allRecords(open())).toHaveLength(32 * 3 + 32);
  expect(logs.some(({ status }) => status === 'open')).toBe(false);
});

test('processes that are killed leave logs that others go on with', async () => {
  const { folder, open } = setJournalScene();
  for (let round = 0; round < 3; round += 1) {
    const writers = [1, 2].map(() => children.start({ folder, count: 1_000 }));
    await Promise.all(writers.map((writer) => writer.process.stdout && once(writer.process.stdout, 'data')));
    await sleep(Math.random() * 200);
    for (const writer of writers) writer.process.kill('SIGKILL');
    await Promise.all(writers.map(({ ended }) => ended));
    const journal = open();
    allRecords(journal);
    expect(listLogs(journal).some(({ id }) => journal.isLogHeld(id))).toBe(false);
  }
  const journal = open();
  for (const { id } of listLogs(journal)) {
    const writer = await reopenLog(journal, id);
    for (const one of writer.records.keys()) writer.report(one);
    await writer.change([...writer.records.keys()].map(applied));
    await writer.close();
  }
  expect(allRecords(journal).filter((record) => record.open || record.state !== 'applied')).toEqual([]);
});

test('a log that a running process holds is held, and is waited for', async () => {
  const { journal, open } = setJournalScene();
  const writer = await beginOne(journal);
  const other = open();
  expect(other.isLogHeld(writer.id)).toBe(true);
  expect(other.isLogHeld('000000')).toBe(false);
  const order: string[] = [];
  const waiting = reopenLog(other, writer.id, { onWait: () => order.push('waits') }).then(async (again) => {
    order.push('goes on');
    await again.close();
  });
  await sleep(50);
  await writer.change([applied(writer.id)]);
  order.push('closes');
  await writer.close();
  await waiting;
  expect(order).toEqual(['waits', 'closes', 'goes on']);
  expect(allRecords(open())).toMatchObject([{ state: 'applied', open: false }]);
});
