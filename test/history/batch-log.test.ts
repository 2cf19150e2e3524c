import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  addLines,
  batchOfName,
  describeDamage,
  forget,
  logFile,
  readLog,
  readLogs,
  recordOf,
  toLine,
  writeLog,
} from '../../src/history/batch/log-file.ts';
import { linesById, mergeLines } from '../../src/history/batch/parse-log.ts';
import type { FileSystem, Files } from '../../src/history/files/files.ts';
import { openHistory } from '../../src/history/journal.ts';
import type { HistoryRecord } from '../../src/history/records/record.ts';
import { fingerprintIntent, newRecord } from '../../src/history/records/request-intent.ts';

const files: Files = { fileSystem: fs, platform: process.platform };
const batch = '20261121-053012-aaaaaa';
const now = Date.parse('2026-11-21T05:30:12Z');

let folder: string;
let log: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'storectl-log-'));
  log = logFile(folder, batch);
});

afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function recordWith(letter: string): HistoryRecord {
  const intent = fingerprintIntent({
    profile: 'main',
    origin: 'https://api.example.com',
    storeId: 'store-1',
    operation: 'blog.create',
    class: 'one-shot',
    method: 'POST',
    path: '/v1/stores/store-1/blog/posts',
    body: JSON.stringify({ title: letter }),
  });
  return { ...newRecord(intent, `20261121-053012-${letter.repeat(6)}`, now), batch };
}

const one = recordWith('1');
const two = recordWith('2');
const change = { state: 'applied', updatedAt: '2026-11-21T05:31:00.000Z' } as const;
const applied = (id: string) => toLine({ format: 2, id, ...change });
const lines = [toLine(one), toLine(two), applied(one.id)];
const withFailing = (call: keyof FileSystem, code: string): Files => ({
  ...files,
  fileSystem: {
    ...fs,
    [call]: () => {
      throw Object.assign(new Error(code), { code });
    },
  },
});

function read() {
  const found = readLog(files, log);
  if (found === null) throw new Error('no log');
  return { ...found, ids: [...found.lines.keys()] };
}

describe('the log of a batch', () => {
  test('makes each record of its lines, oldest first', () => {
    fs.writeFileSync(log, lines.join(''));
    expect(recordOf(read(), one.id)).toEqual({ record: { ...one, ...change } });
    expect(recordOf(read(), two.id)).toEqual({ record: two });
    expect(read()).toMatchObject({ checksum: 'valid', damaged: [], error: null });
  });

  test.each([
    ['blanks', '   '],
    ['half a line', lines[2]?.slice(0, 40)],
    ['half a line after blank ones', `\n  \n${lines[2]?.slice(0, 40)}`],
  ])('may end with %s: nothing was sent for that', (_what, end) => {
    fs.writeFileSync(log, `${lines[0]}${lines[1]}${end}`);
    expect(read()).toMatchObject({ ids: [one.id, two.id], damaged: [] });
    expect(recordOf(read(), one.id)).toEqual({ record: one });
  });

  test.each(['', '   ', '*'])('may lack the line break of its last line, with "%s" in its place', (end) => {
    fs.writeFileSync(log, `${lines[0]}${lines[1]?.trimEnd()}${end}`);
    expect(read()).toMatchObject({ ids: [one.id, two.id], damaged: [] });
  });

  test('with other lines that are not whole is damaged', () => {
    const torn = lines.map((line) => line.replace('store-1', 'store-9'));
    fs.writeFileSync(log, [torn[0], lines[1], 'half\n', lines[2]].join(''));
    const found = read();
    expect(found.damaged).toEqual([torn[0]?.trimEnd(), 'half']);
    expect(found.ids).toEqual([two.id, one.id]);
    expect(describeDamage(found.damaged)).toBe('has 2 lines that do not match their checksums');
    expect(describeDamage(['half'])).toBe('has a line that does not match its checksum');
  });

  test('of the first format had no checksums, and half a line could be followed by others', () => {
    const { reported: _, ...early } = { ...one, format: 1 };
    const old = [early, { format: 1, id: one.id, state: 'applied' }, { ...early, id: two.id }];
    const [first, second, third] = old.map((line) => JSON.stringify(line));
    fs.writeFileSync(log, `${first}\n${third?.slice(0, 50)}\n\n${second}\n${third}`);
    expect(read()).toMatchObject({ ids: [one.id, two.id], checksum: 'none', damaged: [] });
    expect(recordOf(read(), one.id)).toMatchObject({
      record: { id: one.id, state: 'applied', reported: true },
    });
    // Its end may be cut off as well.
    fs.writeFileSync(log, `${first}\n${third?.slice(0, 50)}`);
    expect(recordOf(read(), one.id)).toMatchObject({ record: { id: one.id, state: 'prepared' } });
  });

  test('is missing, cannot be read, or has nothing that was asked for', () => {
    expect(readLog(files, log)).toBeNull();
    fs.writeFileSync(log, lines.join(''));
    expect(readLog(files, log, { fingerprint: 'f' })).toMatchObject({ lines: new Map(), damaged: [] });
    expect(readLog(files, log, { fingerprint: two.fingerprint })?.lines.size).toBe(2);
    fs.rmSync(log);
    fs.mkdirSync(log);
    expect(readLog(files, log)).toMatchObject({ lines: new Map(), error: { code: 'history_unreadable' } });
  });

  test('has a name that says so', () => {
    expect(batchOfName(`${batch}.batch`)).toBe(batch);
    for (const name of [`${batch}.bitch`, 'x.batch', `${batch}.json`, '.batch']) {
      expect(batchOfName(name)).toBeNull();
    }
  });

  test('says nothing about records with a file of their own, nor if it is removed meanwhile', () => {
    fs.writeFileSync(log, lines.join(''));
    fs.writeFileSync(path.join(folder, `${one.id}.json`), '');
    const readdirSync = () => [...fs.readdirSync(folder), '20260101-000000-bbbbbb.batch'];
    const racing = { ...files, fileSystem: Object.assign({ ...fs }, { readdirSync }) };
    const found = readLogs(racing, folder);
    expect([...found.logged.keys()]).toEqual([two.id]);
    expect(found.logs).toHaveLength(1);
  });
});

describe('records that are forgotten', () => {
  test('leave the log, and the others stay', async () => {
    await writeLog(
      files,
      folder,
      batch,
      lines.map((line) => line.trimEnd()),
    );
    expect(await forget(files, folder, batch, new Set([one.id]))).toBe(true);
    expect(read()).toMatchObject({ ids: [two.id], damaged: [] });
    expect(await forget(files, folder, batch, new Set([two.id]))).toBe(true);
    expect(fs.existsSync(log)).toBe(false);
    expect(await forget(files, folder, batch, new Set([two.id]))).toBe(true);
  });

  test('are in another log: this one is not written anew', async () => {
    fs.writeFileSync(log, lines.join(''));
    const before = fs.statSync(log).ino;
    expect(await forget(files, folder, batch, new Set(['20261121-053012-333333']))).toBe(true);
    expect(fs.statSync(log).ino).toBe(before);
  });

  test.each([
    ['damaged', () => fs.writeFileSync(log, `half\n${lines.join('')}`)],
    ['unreadable', () => fs.mkdirSync(log)],
  ])('stay in a log that is %s', async (_what, make) => {
    make();
    expect(await forget(files, folder, batch, new Set([one.id, two.id]))).toBe(false);
    expect(fs.existsSync(log)).toBe(true);
  });
});

describe('lines that are added later', () => {
  const line = applied(two.id);

  test('go to the end of a log that was closed', () => {
    fs.writeFileSync(log, lines.join(''));
    expect(addLines(files, folder, batch, [line, line])).toBe(true);
    expect(fs.readFileSync(log, 'utf8')).toBe([...lines, line, line].join(''));
  });

  test.each([
    ['blanks', `${lines.join('')}  `],
    ['half a line', `${lines.join('')}{"for`],
    ['no line break', lines.join('').trimEnd()],
  ])('are refused by a log that ends with %s', (_what, text) => {
    fs.writeFileSync(log, text);
    expect(addLines(files, folder, batch, [line])).toBe(false);
    expect(fs.readFileSync(log, 'utf8')).toBe(text);
  });

  test('need a log, and space', () => {
    expect(addLines(files, folder, batch, [line])).toBe(false);
    fs.writeFileSync(log, lines.join(''));
    expect(() => addLines(withFailing('writeSync', 'ENOSPC'), folder, batch, [line])).toThrow(
      expect.objectContaining({ code: 'disk_full', file: log }),
    );
  });
});

test('a log is replaced only once the new one is on disk', async () => {
  fs.writeFileSync(path.join(folder, `.${batch}.tmp`), 'left by a killed process');
  fs.writeFileSync(log, lines.join(''));
  const failing = withFailing('fsyncSync', 'EIO');
  await expect(writeLog(failing, folder, batch, ['{}'])).rejects.toThrow('EIO');
  expect(fs.readFileSync(log, 'utf8')).toBe(lines.join(''));
  expect(fs.readdirSync(folder)).toEqual([path.basename(log)]);
});

test('a record that was told of is so in the log of its batch, or in a file of its own after a kill', async () => {
  const history = openHistory({ folder, process, now: () => now });
  fs.writeFileSync(log, lines.join(''));
  await history.markReported([{ ...one, state: 'applied' }]);
  expect(fs.existsSync(path.join(folder, `${one.id}.json`))).toBe(false);
  expect(await history.get(one.id)).toMatchObject({ state: 'applied', reported: true });

  fs.appendFileSync(log, '   ');
  const told = await history.get(one.id);
  fs.writeFileSync(log, `${lines.join('')}   `);
  await history.markReported([told]);
  expect(fs.existsSync(path.join(folder, `${one.id}.json`))).toBe(true);
  expect(await history.get(one.id)).toMatchObject({ state: 'applied', reported: true });
});

test('lines that are of no record, or not whole, are passed over', () => {
  expect([...linesById(['', 'x', '{"id":"a","format":2}', '{"format":2,"id":"a","b":']).keys()]).toEqual([
    'a',
  ]);
  expect(mergeLines(['{"a":1,"b":1}', '{"b":', '{"b":2}'])).toEqual({ a: 1, b: 2 });
  expect(mergeLines(['{"b":'])).toBeNull();
  expect(mergeLines([])).toBeNull();
});
