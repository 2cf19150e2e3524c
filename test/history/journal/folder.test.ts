import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { listLogs, listNames } from '../../../src/history/journal/log-folder.ts';
import { dayOf, makeLogName, parseLogName } from '../../../src/history/journal/log-name.ts';
import { beginLog, reopenLog } from '../../../src/history/journal/open-log.ts';
import { pruneLogs } from '../../../src/history/prune.ts';
import { deadProcess } from '../../helpers/broken-disk.ts';
import {
  allRecords,
  beginOne,
  dayMs,
  type JournalScene,
  problemsIn,
  readRecords,
  setJournalScene,
} from './scene.ts';
import { applied, intent, post, unknown } from './values.ts';

describe('the name of a log', () => {
  const parts = {
    number: 123,
    date: '20261123',
    id: 'k3f9a2',
    operation: 'blog.create',
    status: 'open',
  } as const;

  test.each([
    [parts, '000123-20261123-k3f9a2-blog.create.open.jsonl'],
    [{ ...parts, status: 'pending' as const }, '000123-20261123-k3f9a2-blog.create.pending.jsonl'],
    [{ ...parts, status: 'closed' as const }, '000123-20261123-k3f9a2-blog.create.jsonl'],
    [{ ...parts, number: 12_345_678 }, '12345678-20261123-k3f9a2-blog.create.open.jsonl'],
    [{ ...parts, operation: 'disputes.open' }, '000123-20261123-k3f9a2-disputes.open.open.jsonl'],
    [
      { ...parts, operation: 'disputes.open', status: 'closed' as const },
      '000123-20261123-k3f9a2-disputes.open.jsonl',
    ],
    [{ ...parts, operation: 'api' }, '000123-20261123-k3f9a2-api.open.jsonl'],
    [{ ...parts, operation: 'notify.add-endpoint' }, '000123-20261123-k3f9a2-notify.add-endpoint.open.jsonl'],
  ])('says what the log is: %o', (given, name) => {
    expect(makeLogName(given)).toEqual({ ...given, name });
    expect(parseLogName(name)).toEqual({ ...given, name });
  });

  test.each([
    '000123-20261123-k3f9a2-blog.create.txt',
    'notes.jsonl',
    '.000123-20261123-k3f9a2-blog.create.jsonl.tmp',
    '',
  ])('is not %s', (name) => expect(parseLogName(name)).toBe(null));

  test.each(['blog', 'blog.create.now', '../x.y', ''])('cannot have the operation "%s"', (operation) => {
    expect(() => makeLogName({ ...parts, operation })).toThrow('not the id of an operation');
  });
});

describe('a new log', () => {
  test('has the next number, compared as a number, and an id that no other log has', async () => {
    const { folder, open } = setJournalScene();
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, '1000000-20200101-000000-blog.create.jsonl'), '');
    fs.writeFileSync(path.join(folder, '999999-20300101-111111-blog.create.jsonl'), '');
    let draws = 0;
    const randomBytes = (size: number) => {
      draws += 1;
      if (size !== 6) return Buffer.alloc(size, draws);
      return Buffer.alloc(size, draws < 4 ? 0 : 2);
    };
    const { number, id } = await beginOne(open({ randomBytes }));
    expect({ number, id }).toEqual({ number: 1_000_001, id: '222222' });
    expect(fs.readdirSync(path.join(folder, 'locks'))).toHaveLength(1);
  });

  test('is private, and sweeps what a process left that was killed an hour ago', async () => {
    const { journal, folder, files, open } = setJournalScene();
    await beginOne(journal);
    const old = path.join(folder, '.000009-20261123-k3f9a2-blog.create.open.jsonl.tmp');
    const young = path.join(folder, '.000010-20261123-k3f9a3-blog.create.open.jsonl.tmp');
    fs.writeFileSync(old, '');
    fs.writeFileSync(young, '');
    fs.utimesSync(old, new Date(0), new Date(0));
    await beginOne(journal);
    expect([fs.existsSync(old), fs.existsSync(young)]).toEqual([false, true]);
    const log = path.join(folder, files()[0] ?? '');
    const modes = () => [folder, log].map((file) => fs.statSync(file).mode & 0o777);
    expect(modes()).toEqual([0o700, 0o600]);
    fs.chmodSync(log, 0o644);
    allRecords(open());
    expect(modes()).toEqual([0o700, 0o600]);
  });

  test('numbers the records of a batch, and leaves the log its own id for the main one', async () => {
    const { journal, open } = setJournalScene();
    const writer = await beginLog(journal, {
      operation: 'backup.restore',
      intents: [intent],
      isBatch: true,
    });
    const main = await writer.add({ ...intent, operation: 'backup.restore' }, { isMain: true });
    const next = await writer.add(post('a'));
    expect([main.id, next.id]).toEqual([writer.id, `${writer.id}.2`]);
    expect(allRecords(open()).map(({ id, operation }) => [id.slice(6), operation])).toEqual([
      ['.1', 'backup.create'],
      ['', 'backup.restore'],
      ['.2', 'blog.create'],
    ]);
  });
});

describe('a folder', () => {
  test('that is missing has no logs, and nothing is made by looking', () => {
    const { journal, folder } = setJournalScene();
    expect([listNames(journal), journal.isLogHeld('abcdef')]).toEqual([[], false]);
    expect(fs.existsSync(folder)).toBe(false);
  });

  test('finds a log again that was renamed since it was listed, and nothing of one that is gone', async () => {
    const { journal, folder, files } = setJournalScene();
    await (await beginOne(journal)).close();
    const writer = await beginOne(journal);
    const [, listed] = listLogs(journal);
    await writer.change([applied(writer.id)]);
    await writer.close();
    const found = { id: writer.id, state: 'applied', open: false };
    expect(listed && readRecords(journal, listed)).toMatchObject([found]);
    fs.rmSync(path.join(folder, files().find((name) => name.includes(writer.id)) ?? ''));
    expect(listed && readRecords(journal, listed)).toEqual([]);
    await expect(reopenLog(journal, writer.id)).rejects.toMatchObject({ code: 'record_not_found' });
    expect(fs.readdirSync(path.join(folder, 'locks'))).toEqual([]);
  });

  test('says what cannot be read', async () => {
    const { journal, folder, files } = setJournalScene();
    await beginOne(journal);
    const file = path.join(folder, files()[0] ?? '');
    fs.rmSync(file);
    fs.mkdirSync(file);
    const logs = listLogs(journal);
    expect(() => logs.map((log) => readRecords(journal, log))).toThrow('is not a regular file');
    expect(problemsIn(journal)).toMatchObject([
      { file, code: 'history_unreadable', message: `${file} is not a regular file` },
    ]);
    const openSync = () => {
      throw new TypeError('a bug');
    };
    const broken = { ...journal.files, fileSystem: { ...fs, openSync } };
    expect(() => problemsIn({ ...journal, files: broken })).toThrow('a bug');
  });
});

describe('pruning', () => {
  async function record({ journal }: JournalScene, operation: string, isApplied = true): Promise<number> {
    const writer = await beginOne(journal, { ...intent, operation });
    await writer.change([isApplied ? applied(writer.id) : unknown(writer.id)]);
    await writer.close();
    return writer.number;
  }

  test('removes old logs, except those that are open, kept, held, damaged or the newest', async () => {
    const scene = setJournalScene();
    const { journal, folder } = scene;
    await record(scene, 'blog.create');
    await record(scene, 'blog.create', false);
    await record(scene, 'reclaim.appeal');
    await record(scene, 'settings.save');
    await record(scene, 'store.update');
    const held = await reopenLog(journal, listLogs(journal)[3]?.id ?? '');
    fs.writeFileSync(path.join(folder, listLogs(journal)[4]?.name ?? ''), '');
    scene.time += 10 * dayMs;
    await record(scene, 'backup.create');
    scene.time += 10 * dayMs;
    await record(scene, 'backup.create');
    expect(
      (await pruneLogs(journal, { olderThanMs: 15 * dayMs, withBackups: true })).map(({ number }) => number),
    ).toEqual([1]);
    expect(listLogs(journal).map(({ number }) => number)).toEqual([2, 3, 4, 5, 6, 7]);
    await held.close();
    scene.time += 100 * dayMs;
    expect(
      (await pruneLogs(journal, { olderThanMs: 0, withBackups: true })).map(({ number }) => number),
    ).toEqual([4, 6]);
    expect((await beginOne(journal)).number).toBe(8);
  });

  test('takes a date in the future for now', async () => {
    const scene = setJournalScene();
    await record(scene, 'blog.create');
    await record(scene, 'blog.create');
    scene.time -= 400 * dayMs;
    expect(await pruneLogs(scene.journal, { olderThanMs: dayMs, withBackups: true })).toEqual([]);
    expect(dayOf(scene.time)).toBe('20251019');
  });

  test('removes locks of processes that have ended, and leaves those of others', async () => {
    const { folder, journal, open } = setJournalScene();
    const dead = open({ process: deadProcess() });
    await dead.acquire('of a process that has ended');
    const held = await beginOne(journal);
    expect(fs.readdirSync(path.join(folder, 'locks'))).toHaveLength(2);

    await pruneLogs(open(), { olderThanMs: 0, withBackups: true });

    expect(fs.readdirSync(path.join(folder, 'locks'))).toHaveLength(1);
    expect(open().isLogHeld(held.id)).toBe(true);
    await held.close();
  });
});
