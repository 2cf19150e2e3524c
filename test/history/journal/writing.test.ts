import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../../../src/base/files/files.ts';
import { listLogs } from '../../../src/history/journal/log-folder.ts';
import { beginLog, reopenLog } from '../../../src/history/journal/open-log.ts';
import { storeWait } from '../../../src/history/journal/store-wait.ts';
import { failWith, killableDisk, takingAtMost } from '../../helpers/broken-disk.ts';
import { allRecords, beginOne, setJournalScene } from './scene.ts';
import { applied, intent, post, unknown } from './values.ts';

const codeOfPromise = (promise: Promise<unknown>) =>
  promise.then(
    () => 'on disk',
    (error) => error.code,
  );

/** A disk whose syncs of lines end when the test says so. */
function slowDisk() {
  const ends: fs.NoParamCallback[] = [];
  let begun = () => {};
  const fdatasync = ((descriptor: number, callback: fs.NoParamCallback) => {
    ends.push((error) => (error === null ? fs.fdatasync(descriptor, callback) : callback(error)));
    begun();
  }) as typeof fs.fdatasync;
  return {
    fileSystem: { ...fs, fdatasync } as FileSystem,
    /** Resolves when a sync has begun; then `end` ends it. */
    async begins(): Promise<void> {
      if (ends.length === 0) await new Promise<void>((resolve) => (begun = resolve));
    },
    end: (error: NodeJS.ErrnoException | null = null) => ends.shift()?.(error),
  };
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a line', () => {
  test('has what is added in one turn of the event loop, and the next what is added during its sync', async () => {
    const disk = slowDisk();
    const { journal, text } = setJournalScene(disk.fileSystem);
    const writer = await beginLog(journal, {
      operation: 'blog.create',
      intents: [post('a')],
      isBatch: true,
    });
    const first = [writer.add(post('b')), writer.change([applied(`${writer.id}.1`)])];
    await disk.begins();
    const second = [writer.add(post('c')), writer.change([unknown(`${writer.id}.2`)])];
    await new Promise((resolve) => setImmediate(resolve));
    expect(linesOf(text())).toHaveLength(3);
    disk.end();
    await Promise.all(first);
    await disk.begins();
    expect(writer.records.get(`${writer.id}.2`)?.state).toBe('sent');
    disk.end();
    expect(await Promise.all(second)).toMatchObject([{ id: `${writer.id}.3` }, undefined]);
    expect(writer.records.get(`${writer.id}.2`)?.state).toBe('unknown');
    expect(linesOf(text()).map(({ line, records }) => [line, records?.length])).toEqual([
      [1, undefined],
      [2, 1],
      [3, 2],
      [4, 2],
    ]);
    expect(writer.size).toBe(Buffer.byteLength(text()));
  });

  test('of a change that may wait is written with the next one, and at last without any', async () => {
    const { journal, text } = setJournalScene();
    const writer = await beginOne(journal);
    await Promise.all([
      writer.change([{ id: writer.id, attempts: 2 }], { mayWait: true }),
      writer.change([unknown(writer.id)]),
    ]);
    expect(linesOf(text())).toHaveLength(3);
    await writer.change([{ id: writer.id, attempts: 3 }], { mayWait: true });
    expect(linesOf(text())).toHaveLength(4);
    const last = writer.change([applied(writer.id)], { mayWait: true });
    await writer.close();
    await last;
    expect(writer.records.get(writer.id)).toMatchObject({ state: 'applied', attempts: 3 });
    expect(linesOf(text())).toHaveLength(6);
    expect(await codeOfPromise(writer.change([unknown(writer.id)]))).toBe('history_unwritable');
  });

  test('is written whole where a disk takes a few bytes at a time', async () => {
    const { journal, open } = setJournalScene(takingAtMost(() => 7));
    const writer = await beginOne(journal, { ...intent, body: '{"label":"日本語"}' });
    await writer.add({ ...intent, body: '{"label":"ünïcödé"}' });
    expect(allRecords(open()).map(({ body }) => body)).toEqual(['{"label":"日本語"}', '{"label":"ünïcödé"}']);
  });
});

describe('a disk that fails', () => {
  test.each<[string, Partial<FileSystem>]>([
    ['', {}],
    [', even if the file cannot be cut off', { ftruncateSync: () => failWith('EIO') }],
  ])(
    'to sync a line ends the log: nothing more is written, not even a closing line%s',
    async (_what, broken) => {
      const disk = slowDisk();
      const { journal, open, files } = setJournalScene({ ...disk.fileSystem, ...broken });
      const writer = await beginOne(journal);
      const added = codeOfPromise(writer.add(intent));
      await disk.begins();
      const waiting = codeOfPromise(writer.change([applied(writer.id)]));
      await new Promise((resolve) => setImmediate(resolve));
      disk.end(Object.assign(new Error('input/output error'), { code: 'EIO' }));
      expect([await added, await waiting]).toEqual(['history_unwritable', 'history_unwritable']);
      expect([...writer.records.keys()]).toEqual([writer.id]);
      await writer.close();
      expect(files()).toEqual([expect.stringContaining('.open.')]);
      const [first, ...others] = allRecords(open());
      expect(first).toMatchObject({ id: writer.id, state: 'sent', open: true });
      expect(others).toHaveLength('ftruncateSync' in broken ? 1 : 0);
      const again = await reopenLog(open(), writer.id);
      await again.change([...again.records.keys()].map(applied));
      await again.close();
      expect(allRecords(open()).every((record) => !record.open)).toBe(true);
    },
  );

  test('in the middle of a line leaves nothing of it', async () => {
    let left = Number.POSITIVE_INFINITY;
    const disk = takingAtMost(
      () => (left === 0 ? failWith('ENOSPC') : left),
      (count) => (left -= count),
    );
    const { journal, text, open } = setJournalScene(disk);
    const writer = await beginOne(journal);
    const before = text();
    left = 100;
    expect(await codeOfPromise(writer.change([applied(writer.id)]))).toBe('disk_full');
    expect(text()).toBe(before);
    left = Number.POSITIVE_INFINITY;
    expect(await codeOfPromise(writer.change([applied(writer.id)]))).toBe('disk_full');
    await writer.close();
    expect(allRecords(open())).toMatchObject([{ state: 'sent', open: true }]);
  });

  test.each([
    ['fsyncSync', fs.fsyncSync, 1],
    ['fsyncSync', fs.fsyncSync, 2],
    ['renameSync', fs.renameSync, 1],
  ])('at %s of a new log leaves no log and no lock (%#)', async (name, call, failAt) => {
    const { open, files, journal: whole } = setJournalScene();
    await (await beginOne(whole)).close();
    let count = 0;
    const failing = (...args: [never, never]) => {
      count += 1;
      if (count === failAt) failWith('EIO');
      return call(...args);
    };
    const journal = open({ fileSystem: { ...fs, [name]: failing } });
    expect(await codeOfPromise(beginOne(journal))).toBe('history_unwritable');
    expect(files()).toHaveLength(1);
    expect(fs.readdirSync(`${journal.folder}/locks`)).toEqual([]);
    expect(fs.readdirSync(journal.folder).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  });

  test('refuses a line once the log was removed, unless the file system never counted its links', async () => {
    const { journal, folder, files, open } = setJournalScene();
    const writer = await beginOne(journal);
    fs.rmSync(`${folder}/${files()[0]}`);
    expect(await codeOfPromise(writer.change([applied(writer.id)]))).toBe('history_unwritable');
    await writer.close();
    expect(allRecords(open())).toEqual([]);
    const fstatSync = ((descriptor: number) =>
      Object.assign(fs.fstatSync(descriptor), { nlink: 0 })) as typeof fs.fstatSync;
    const other = await beginOne(open({ fileSystem: { ...fs, fstatSync } }));
    expect(await codeOfPromise(other.change([applied(other.id)]))).toBe('on disk');
  });
});

test('who has lost the lock writes nothing more', async () => {
  const { journal, folder, open, files } = setJournalScene();
  const writer = await beginOne(journal);
  const [lock = ''] = fs.readdirSync(`${folder}/locks`);
  fs.writeFileSync(`${folder}/locks/${lock}`, '{}');
  expect(() => writer.assertHeld()).toThrow('lost the lock');
  expect(await codeOfPromise(writer.change([applied(writer.id)]))).toBe('lock_lost');
  await writer.close();
  expect(files()).toEqual([expect.stringContaining('.open.')]);
  expect(allRecords(open())).toMatchObject([{ state: 'sent', open: true }]);
});

describe('closing', () => {
  test('waits for no sync', async () => {
    const disk = slowDisk();
    const { journal, open, files } = setJournalScene(disk.fileSystem);
    const writer = await beginOne(journal);
    const recorded = writer.change([applied(writer.id)]);
    await disk.begins();
    disk.end();
    await recorded;
    // A sync that it would begin never ends.
    await writer.close();
    expect(files()).toEqual([expect.stringMatching(/-backup\.create\.jsonl$/)]);
    expect(allRecords(open())).toMatchObject([{ state: 'applied', open: false }]);
  });

  test('a log that a killed process wrote syncs what that did not', async () => {
    const { journal, open, folder } = setJournalScene();
    const killed = await beginOne(journal);
    const disk = killableDisk(Number.POSITIVE_INFINITY, folder);
    // Not synced, as far as this disk knows.
    await killed.change([applied(killed.id)]);
    fs.rmSync(path.join(folder, 'locks'), { recursive: true });
    const writer = await reopenLog(open({ fileSystem: disk.fileSystem }), killed.id);
    writer.report(killed.id);
    await writer.close();
    disk.cutPower(folder, { keepsNames: true });
    expect(allRecords(open())).toMatchObject([{ state: 'applied', open: true }]);
  });

  test('keeps open what a killed process knew, until it is reported', async () => {
    const { journal, open, files, folder } = setJournalScene();
    const killed = await beginLog(journal, {
      operation: 'blog.create',
      intents: [post('a'), post('b')],
      isBatch: true,
    });
    await killed.change([applied(`${killed.id}.1`), applied(`${killed.id}.2`)]);
    fs.rmSync(path.join(folder, 'locks'), { recursive: true });
    const writer = await reopenLog(open(), killed.id);
    writer.report(`${killed.id}.1`);
    await writer.close();
    expect(allRecords(open()).map((record) => record.open)).toEqual([false, true]);
    expect(files()).toEqual([expect.stringContaining('.pending.')]);
  });

  test('writes nothing if nothing was written since the log was closed', async () => {
    const { journal, open, text } = setJournalScene();
    const writer = await beginOne(journal);
    await writer.change([unknown(writer.id)]);
    await writer.close();
    const before = text();
    await (await reopenLog(open(), writer.id)).close();
    expect(text()).toBe(before);
  });

  test('an superseded change is not in doubt', async () => {
    const { journal, open } = setJournalScene();
    const writer = await beginOne(journal);
    await writer.change([{ id: writer.id, state: 'unknown', supersededBy: 'abcdef' }]);
    await writer.close();
    expect(allRecords(open())).toMatchObject([{ state: 'unknown', open: false }]);
  });

  test('keeps a wait that the store asked for until it is over, and calls a log pending while it is written again', async () => {
    const scene = setJournalScene();
    const writer = await beginOne(scene.journal);
    const refused = applied(writer.id).response;
    const response = refused && { ...refused, status: 429, receivedAt: '2026-11-23T12:00:00.000Z' };
    if (!response) throw new Error('no response');
    await writer.change([
      { id: writer.id, state: 'rejected', response: { ...response, retryAt: scene.time + 10_000 } },
    ]);
    await writer.close();
    const statuses = () => listLogs(scene.journal).map(({ status }) => status);
    expect(statuses()).toEqual(['closed']);
    expect(storeWait(scene.open())).toBe(10_000);
    expect(allRecords(scene.open())).toMatchObject([{ state: 'rejected', open: false }]);
    // A log that is opened again may get lines behind its closing line.
    const again = await reopenLog(scene.journal, writer.id);
    expect(statuses()).toEqual(['pending']);
    scene.time += 10_001;
    await again.close();
    expect(statuses()).toEqual(['closed']);
    expect(storeWait(scene.open())).toBe(0);
  });
});
