import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { errorCode } from '../../src/base/error-code.ts';
import type { FileSystem } from '../../src/history/files/files.ts';
import type { History } from '../../src/history/history.ts';
import { openHistory } from '../../src/history/journal.ts';
import { serializeWithChecksum } from '../../src/history/records/checksum.ts';
import type { HistoryAnswer, HistoryRecord } from '../../src/history/records/record.ts';
import type { Intent } from '../../src/history/records/request-intent.ts';
import { backupIntent as backup } from './helpers/intents.ts';

let folder: string;
let now: number;
let history: History;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'storectl-records-'));
  now = Date.parse('2026-11-21T05:30:12.345Z');
  history = open();
});

afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const open = (fileSystem: FileSystem = fs) => openHistory({ folder, process, now: () => now, fileSystem });

const fileOf = ({ id }: Pick<HistoryRecord, 'id'>) => path.join(folder, `${id}.json`);
const idsOf = (records: readonly HistoryRecord[]) => records.map(({ id }) => id);

function failWith(call: 'openSync', code: string): FileSystem {
  return {
    ...fs,
    [call]: () => {
      throw Object.assign(new Error(code), { code });
    },
  };
}

describe('the wait that a store asked for', () => {
  async function refuse(intent: Intent, waitMs: number | null): Promise<HistoryRecord> {
    const retryAt = waitMs === null ? null : now + waitMs;
    const answer: HistoryAnswer = {
      status: 429,
      body: null,
      problem: null,
      requestId: null,
      etag: null,
      receivedAt: new Date(now).toISOString(),
      replayed: false,
      retryAt,
      settledByReading: false,
    };
    return history.update(await history.begin(intent), { state: 'rejected', answer });
  }

  test('is what is left of the longest, for this store only', async () => {
    await refuse(backup, 90_000);
    await refuse(backup, 60_000);
    await refuse(backup, null);
    await refuse({ ...backup, storeId: 'store-2' }, 200_000);
    await refuse({ ...backup, origin: 'https://api.example.org' }, 300_000);
    now += 10_000;
    expect(open().waitFor(backup)).toBe(80_000);
    expect(open().waitFor({ ...backup, storeId: 'store-3' })).toBe(0);
    now += 80_000;
    expect(open().waitFor(backup)).toBe(0);
  });

  test('is never longer than it was asked for, even if the clock was set back', async () => {
    await refuse(backup, 5_000);
    now -= 3_600_000;
    expect(open().waitFor(backup)).toBe(5_000);
  });

  test('is not known while the record that says so is damaged', async () => {
    const record = await refuse(backup, 90_000);
    fs.truncateSync(fileOf(record), 100);
    expect(() => open().waitFor(backup)).toThrow('storectl history repair');
  });
});

describe('files beside the records', () => {
  test('that are of no record are named, and stop nothing', async () => {
    const record = await history.begin(backup);
    fs.writeFileSync(path.join(folder, 'notes.json'), '{}');
    fs.mkdirSync(path.join(folder, 'damaged'));
    expect(await history.list()).toEqual({
      records: [record],
      problems: [
        {
          file: path.join(folder, 'notes.json'),
          kind: 'foreign',
          message: 'is not a record of storectl',
        },
      ],
    });
    history.assertUndamaged();
    expect(await history.get(record.id)).toEqual(record);
  });

  test('are swept, but records stay however long nobody has touched them', async () => {
    const record = await history.begin(backup);
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    fs.utimesSync(fileOf(record), longAgo, longAgo);
    fs.writeFileSync(path.join(folder, '.seen.jsonl'), '');
    fs.utimesSync(path.join(folder, '.seen.jsonl'), longAgo, longAgo);
    await history.begin(backup);
    expect(fs.readdirSync(folder)).toEqual(expect.arrayContaining(['.seen.jsonl', `${record.id}.json`]));
  });
});

test('a record that another process removes meanwhile is passed over', async () => {
  const record = await history.begin(backup);
  const readdirSync = () => [...fs.readdirSync(folder), '20260101-000000-aaaaaa.json'];
  const racing = open(Object.assign({ ...fs }, { readdirSync }));
  racing.assertUndamaged();
  expect(await racing.list()).toEqual({ records: [record], problems: [] });
  expect(await racing.get(record.id)).toEqual(record);
});

test('records of the same moment are always listed in the same order', async () => {
  for (const letter of ['c', 'a', 'd', 'b']) {
    await history.begin({ ...backup, id: `20261121-053012-${letter.repeat(6)}` });
  }
  const ids = idsOf((await history.list()).records);
  expect(ids.map((id) => id.slice(-1))).toEqual(['d', 'c', 'b', 'a']);
});

test('six records whose ids begin alike: the first five are named, in order', async () => {
  for (const letter of ['c', 'a', 'f', 'b', 'e', 'd']) {
    await history.begin({ ...backup, id: `20261121-053012-${letter.repeat(6)}` });
  }
  const named = ['a', 'b', 'c', 'd', 'e'].map((letter) => `20261121-053012-${letter.repeat(6)}`).join(', ');
  await expect(history.get('2026')).rejects.toMatchObject({
    code: 'record_ambiguous',
    message: `"2026" matches 6 records: ${named}`,
  });
});

test('a record is as old as its creation says, not as the seconds in its id', async () => {
  const record = await history.begin(backup);
  now += 1_000;
  expect(idsOf((await history.list({ maxAgeMs: 1_000 })).records)).toEqual([record.id]);
  expect(idsOf((await history.list({ maxAgeMs: 999 })).records)).toEqual([]);
});

test('what is certainly too old is not read', async () => {
  const record = await history.begin(backup);
  fs.writeFileSync(fileOf(record), '');
  now += 60_000;
  expect(await history.list({ maxAgeMs: 1_000 })).toEqual({ records: [], problems: [] });
  expect((await history.list()).problems).toHaveLength(1);
});

test('a record of a newer version says to update, and nothing of repair', async () => {
  const id = '20260101-000000-aaaaaa';
  await history.begin(backup);
  fs.writeFileSync(fileOf({ id }), serializeWithChecksum({ format: 7, id }, 'file'));
  await expect(history.get(id)).rejects.toMatchObject({
    code: 'history_damaged',
    message: `${fileOf({ id })} has format 7 of a newer storectl version: update storectl.`,
  });
});

test.each([
  [new Error('no code'), ''],
  [Object.assign(new Error('a number'), { code: 7 }), ''],
  [{ code: 'ENOSPC' }, ''],
  ['ENOSPC', ''],
  [Object.assign(new Error('full'), { code: 'ENOSPC' }), 'ENOSPC'],
])('of what is thrown, only an error of the system has a code: %o', (thrown, code) => {
  expect(errorCode(thrown)).toBe(code);
});

describe('repair', () => {
  const damagedFile = (name: string) => path.join(folder, 'damaged', name);

  test('moves aside what cannot be read at all, and says so', async () => {
    const record = await history.begin(backup);
    const [lost, log] = ['20260101-000000-aaaaaa.json', '20260101-000001-aaaaaa.batch'];
    for (const name of [lost, log]) fs.mkdirSync(path.join(folder, name));
    const unknown = { operation: null, createdAt: null, storeId: null, idempotencyKey: null, state: null };
    expect(await open().repair()).toEqual([
      {
        file: path.join(folder, log),
        movedTo: damagedFile(log),
        message: expect.stringMatching(/^cannot be read: .*not a regular file/),
        lost: [],
      },
      {
        file: path.join(folder, lost),
        movedTo: damagedFile(lost),
        message: expect.stringMatching(/^cannot be read: .*not a regular file/),
        lost: [{ id: '20260101-000000-aaaaaa', ...unknown }],
      },
    ]);
    expect(fs.readdirSync(path.join(folder, 'damaged')).sort()).toEqual([lost, log]);
    open().assertUndamaged();
    expect(await history.list()).toEqual({ records: [record], problems: [] });
  });

  test('says of each record what is wrong with it', async () => {
    const names = ['20260101-000000-aaaaaa.json', '20260101-000000-bbbbbb.json'];
    await history.begin(backup);
    fs.writeFileSync(path.join(folder, names[0] ?? ''), '');
    fs.writeFileSync(path.join(folder, names[1] ?? ''), '{');
    const repaired = await open().repair();
    expect(Object.fromEntries(repaired.map(({ file, message }) => [path.basename(file), message]))).toEqual({
      [names[0] ?? '']: 'is empty',
      [names[1] ?? '']: expect.stringContaining('not valid JSON'),
    });
  });

  test('that cannot move a record leaves it, and the next change fails too', async () => {
    const { id } = await history.begin(backup);
    fs.writeFileSync(fileOf({ id }), '');
    fs.writeFileSync(path.join(folder, 'damaged'), '');
    await expect(open().repair()).rejects.toMatchObject({ code: 'history_unwritable' });
    expect(() => open().assertUndamaged()).toThrow('storectl history repair');
  });
});

test('an id whose draft another process is writing is not taken', async () => {
  const letters = [1, 2];
  const unlucky = openHistory({
    folder,
    process,
    now: () => now,
    randomBytes: () => Buffer.alloc(6, letters.shift() ?? 3),
  });
  fs.writeFileSync(path.join(folder, '.20261121-053012-111111.tmp'), '');
  expect(await unlucky.begin(backup)).toMatchObject({ id: '20261121-053012-222222' });
});

test.each([
  ['ENOSPC', 'disk_full', 'no space left'],
  ['EDQUOT', 'disk_full', 'no space left'],
  ['EFBIG', 'disk_full', 'no space left'],
  ['EBUSY', 'history_locked', 'another program has it open'],
  ['ETXTBSY', 'history_locked', 'another program has it open'],
  ['EACCES', 'history_unwritable', 'permission denied'],
  ['EIO', 'history_unwritable', 'I/O error'],
])('a record that cannot be written because of %s says so', async (code, expected, reason) => {
  await expect(open(failWith('openSync', code)).begin(backup)).rejects.toMatchObject({
    name: 'HistoryError',
    code: expected,
    message: expect.stringContaining(reason),
    file: folder,
    cause: { code },
  });
  expect(fs.readdirSync(folder)).toEqual([]);
});
