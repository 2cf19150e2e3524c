import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'rolldown';
import { expect, test } from 'vitest';
import { allRecords, beginOne, makeScene } from './scene.ts';
import { applied } from './values.ts';

/** Starts child.ts for each count. Node need not know TypeScript. */
async function startChildren(
  folder: string,
  counts: readonly number[],
): Promise<{ child: ChildProcess; ended: Promise<string> }[]> {
  const file = path.join(path.dirname(folder), 'child.mjs');
  await build({
    input: path.join(import.meta.dirname, 'child.ts'),
    platform: 'node',
    logLevel: 'warn',
    output: { file, format: 'esm', codeSplitting: false },
  });
  return counts.map((count) => {
    const child = spawn(process.execPath, [file, folder, String(count)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    return { child, ended: once(child, 'close').then(() => output) };
  });
}

test('processes share a folder: each log is whole, and has an id of its own', async () => {
  const { folder, open } = makeScene();
  const children = await startChildren(folder, [8, 8, 8, 8]);
  const ids = (await Promise.all(children.map(({ ended }) => ended))).join('').trim().split('\n');
  expect(new Set(ids).size).toBe(32);
  const logs = open().logs();
  expect(logs.map(({ id }) => id).sort()).toEqual([...ids].sort());
  // All have added one to the same log.
  expect(allRecords(open())).toHaveLength(32 * 3 + 32);
  expect(logs.some(({ status }) => status === 'open')).toBe(false);
});

test('processes that are killed leave logs that others go on with', async () => {
  const { folder, open } = makeScene();
  for (let round = 0; round < 3; round += 1) {
    const children = await startChildren(folder, [1_000, 1_000]);
    await Promise.all(children.map(({ child }) => child.stdout && once(child.stdout, 'data')));
    await sleep(Math.random() * 200);
    for (const { child } of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ ended }) => ended));
    const journal = open();
    allRecords(journal);
    expect(journal.logs().some(({ id }) => journal.isHeld(id))).toBe(false);
  }
  const journal = open();
  for (const { id } of journal.logs()) {
    const writer = await journal.reopen(id);
    await writer.change([...writer.records.keys()].map(applied));
    await writer.close();
  }
  expect(allRecords(journal).filter((record) => record.open || record.state !== 'applied')).toEqual([]);
});

test('a log that a running process holds is held, and is waited for', async () => {
  const { journal, open } = makeScene();
  const writer = await beginOne(journal);
  const other = open();
  expect(other.isHeld(writer.id)).toBe(true);
  expect(other.isHeld('000000')).toBe(false);
  const order: string[] = [];
  const waiting = other.reopen(writer.id, { onWait: () => order.push('waits') }).then(async (again) => {
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
