import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileSystem } from '../../src/history/files/files.ts';
import type { History } from '../../src/history/history.ts';
import { openHistory } from '../../src/history/journal.ts';
import { checksumState, serializeWithChecksum } from '../../src/history/records/checksum.ts';
import type { HistoryRecord } from '../../src/history/records/record.ts';
import type { Intent } from '../../src/history/records/request-intent.ts';
import { backupIntent } from './helpers/intents.ts';

let root: string;
let folder: string;
let now: number;
let history: History;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(tmpdir(), 'storectl-journal-'));
  folder = path.join(root, 'history', 'main');
  now = Date.parse('2026-11-21T05:30:12.345Z');
  history = openHistory({ folder, process, now: () => now });
});

afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const backup: Intent = {
  ...backupIntent,
  body: '{"label":"Ünicode \\n","sections":["store"],"idempotencyKey":"K"}',
};

const fileOf = (record: Pick<HistoryRecord, 'id'>) => path.join(folder, `${record.id}.json`);
const modeOf = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);
const idsOf = (records: readonly HistoryRecord[]) => records.map(({ id }) => id);

describe('begin', () => {
  test('writes what is about to be sent, readable by its owner only', async () => {
    const record = await history.begin(backup);
    expect(record).toMatchObject({
      format: 2,
      id: expect.stringMatching(/^20261121-053012-[0-9a-z]{6}$/),
      createdAt: '2026-11-21T05:30:12.345Z',
      operation: 'backup.create',
      body: backup.body,
      idempotencyKey: 'K',
      state: 'prepared',
      attempts: 0,
    });
    expect(await history.get(record.id)).toEqual(record);
    expect(modeOf(fileOf(record))).toBe('600');
    expect(modeOf(folder)).toBe('700');
    expect(modeOf(path.dirname(folder))).toBe('700');
  });

  test('repairs modes that others loosened', async () => {
    const record = await history.begin(backup);
    fs.chmodSync(folder, 0o755);
    fs.chmodSync(fileOf(record), 0o644);
    await history.begin(backup);
    await history.list();
    expect([modeOf(folder), modeOf(fileOf(record))]).toEqual(['700', '600']);
  });

  test('is on disk, name included, before it resolves', async () => {
    const calls: string[] = [];
    const names = new Map<number, string>();
    const watching = new Proxy(fs, {
      get:
        (target, name: keyof FileSystem) =>
        (first: unknown, ...rest: unknown[]) => {
          const result: unknown = Reflect.apply(target[name], target, [first, ...rest]);
          const short = (file: unknown) =>
            path.relative(folder, String(file)).replace(/\d{8}-\d{6}-\w{6}/, 'ID');
          if (name === 'openSync' && typeof result === 'number') names.set(result, short(first));
          if (name === 'fsyncSync') calls.push(`sync ${names.get(Number(first))}`);
          if (name === 'renameSync') calls.push(`rename ${short(first)} ${short(rest[0])}`);
          return result;
        },
    });
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watched = openHistory({ folder, process, fileSystem: watching });
    const record = await watched.begin(backup);
    expect(calls).toEqual(['sync .ID.tmp', 'rename .ID.tmp ID.json', 'sync ']);
    calls.length = 0;
    await watched.update(record, { state: 'sent' });
    expect(calls).toMatchObject([
      expect.stringMatching(/^sync \.ID\.\w+\.tmp$/),
      expect.stringMatching(/^rename \.ID\.\w+\.tmp ID\.json$/),
      'sync ',
    ]);
  });

  test('never takes an id that is taken', async () => {
    // The first two ids are the same, the third is another.
    const bytes = [Buffer.alloc(6, 1), Buffer.alloc(6, 1), Buffer.alloc(6, 2)];
    const unlucky = openHistory({
      folder,
      process,
      now: () => now,
      randomBytes: () => bytes.shift() ?? Buffer.alloc(6, 3),
    });
    const first = await unlucky.begin(backup);
    const second = await unlucky.begin({ ...backup, body: '{}' });
    expect(idsOf([first, second])).toEqual(['20261121-053012-111111', '20261121-053012-222222']);
    expect(await history.get(first.id)).toMatchObject({ body: backup.body });
    await expect(history.begin({ ...backup, id: first.id })).rejects.toMatchObject({
      code: 'history_unwritable',
    });
  });

  test.each([
    ['body', { body: '{"label":"sk_live_0123456789"}' }],
    ['path', { path: '/v1/stores/sk_live_0123456789' }],
    ['former document', { former: '{"summary":"sk_live_0123456789"}' }],
  ])('refuses the API key in the %s and writes nothing', async (_where, part) => {
    await expect(history.begin({ ...backup, ...part }, ['sk_live_0123456789'])).rejects.toMatchObject({
      code: 'secret_in_record',
    });
    expect(fs.existsSync(folder)).toBe(false);
  });

  test('refuses the API key in its escaped form too', async () => {
    const secret = 'a"b\\c-0123456789';
    const body = JSON.stringify({ label: `key ${secret}` });
    await expect(history.begin({ ...backup, body }, [secret])).rejects.toMatchObject({
      code: 'secret_in_record',
    });
  });

  test('does not take a text of less than 8 characters for an API key', async () => {
    const body = '{"label":"key-4567"}';
    await expect(history.begin({ ...backup, body }, ['key-4567'])).rejects.toMatchObject({
      code: 'secret_in_record',
    });
    expect(await history.begin({ ...backup, body }, ['key-456'])).toMatchObject({ body });
  });

  test('sweeps leftovers of killed processes once they are an hour old, and no younger ones', async () => {
    await history.begin(backup);
    const [old, young] = ['.20260101-000000-aaaaaa.tmp', '.20260101-000000-bbbbbb.0123.tmp'];
    for (const name of [old, young]) fs.writeFileSync(path.join(folder, name), '{"half":');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    fs.utimesSync(path.join(folder, old), longAgo, longAgo);
    await history.begin(backup);
    const names = fs.readdirSync(folder);
    expect([names.includes(old), names.includes(young)]).toEqual([false, true]);
    expect(await history.list()).toMatchObject({ problems: [], records: [{}, {}] });
  });
});

describe('update', () => {
  test('keeps fields that this version does not know', async () => {
    const record = await history.begin(backup);
    const noted = { ...record, note: { by: 'storectl 9' } };
    fs.writeFileSync(fileOf(record), serializeWithChecksum(noted, 'file'));
    now += 1_000;
    await history.update(record, { state: 'sent', attempts: 1 });
    expect(JSON.parse(fs.readFileSync(fileOf(record), 'utf8'))).toMatchObject({
      note: { by: 'storectl 9' },
      state: 'sent',
      updatedAt: '2026-11-21T05:30:13.345Z',
    });
  });

  test('never takes back that something was applied', async () => {
    const record = await history.begin(backup);
    await history.update(record, { state: 'applied' });
    expect(await history.update(record, { state: 'unknown' })).toMatchObject({ state: 'applied' });
    expect(await history.get(record.id)).toMatchObject({ state: 'applied' });
  });

  test('writes the record again when somebody has removed its file', async () => {
    const record = await history.begin(backup);
    fs.rmSync(fileOf(record));
    await history.update(record, { state: 'applied' });
    expect(await history.get(record.id)).toMatchObject({ state: 'applied', body: backup.body });
  });

  test('leaves a file alone that it cannot read', async () => {
    const record = await history.begin(backup);
    const newer = serializeWithChecksum({ format: 3, id: 'x' }, 'file');
    fs.writeFileSync(fileOf(record), newer);
    await expect(history.update(record, { state: 'sent' })).rejects.toMatchObject({
      code: 'history_damaged',
      message: expect.stringContaining('newer storectl version'),
    });
    expect(fs.readFileSync(fileOf(record), 'utf8')).toBe(newer);
  });
});

describe('list and get', () => {
  test('is empty without a folder, and creates none', async () => {
    expect(await history.list()).toEqual({ records: [], problems: [] });
    expect(fs.existsSync(folder)).toBe(false);
  });

  test('lists newest first and narrows down', async () => {
    const first = await history.begin(backup);
    now += 60_000;
    const second = await history.begin({ ...backup, storeId: 'store-2' });
    await history.update(second, { state: 'applied' });
    now += 60_000;
    const third = await history.begin({ ...backup, operation: 'blog.create', class: 'one-shot', body: '{}' });
    const ids = async (query: Parameters<History['list']>[0]) => idsOf((await history.list(query)).records);
    expect(await ids({})).toEqual(idsOf([third, second, first]));
    expect(await ids({ operation: 'blog.create' })).toEqual([third.id]);
    expect(await ids({ open: true, storeId: 'store-1' })).toEqual(idsOf([third, first]));
    expect(await ids({ state: ['applied', 'unknown'] })).toEqual([second.id]);
    expect(await ids({ maxAgeMs: 90_000 })).toEqual(idsOf([third, second]));
    expect(await ids({ idempotencyKey: 'K', storeId: 'store-2' })).toEqual([second.id]);
    expect(await ids({ fingerprint: first.fingerprint })).toEqual([first.id]);
  });

  test('reports what it cannot use, and loses nothing over it', async () => {
    const good = await history.begin(backup);
    const text = fs.readFileSync(fileOf(good), 'utf8');
    const put = (name: string, content: string) => fs.writeFileSync(path.join(folder, name), content);
    const id = (last: string) => `20260101-000000-aaaaa${last}`;
    put(`${id('0')}.json`, '');
    put(`${id('1')}.json`, text.slice(0, 200));
    put(`${id('2')}.json`, text);
    put(`${id('3')}.json`, '["something else"]');
    put(`${id('4')}.json`, '{"format":0,"id":"x","op":"backup.create"}');
    put(`${id('5')}.json`, serializeWithChecksum({ format: 7 }, 'file'));
    put(`${id('6')}.json`, text.replaceAll(good.id, id('6')).replace('nicode', 'NICODE'));
    put(`${id('7')}.json`, text.replaceAll(good.id, id('7')).replace('"prepared"', '"paused"'));
    fs.mkdirSync(path.join(folder, `${id('8')}.json`));
    fs.symlinkSync(fileOf(good), path.join(folder, `${id('9')}.json`));
    put('notes.txt', 'mine');
    put('.DS_Store', 'a file manager was here');
    const before = fs.readdirSync(folder);
    const { records, problems } = await history.list();
    expect(idsOf(records)).toEqual([good.id]);
    const messages = Object.fromEntries(problems.map(({ file, message }) => [path.basename(file), message]));
    expect(messages).toEqual({
      [`${id('0')}.json`]: expect.stringContaining('is empty'),
      [`${id('1')}.json`]: expect.stringContaining('not valid JSON'),
      [`${id('2')}.json`]: expect.stringContaining(`contains record ${good.id}`),
      [`${id('3')}.json`]: expect.stringContaining('does not match its checksum'),
      [`${id('4')}.json`]: expect.stringContaining('does not match its checksum'),
      [`${id('5')}.json`]: expect.stringContaining('format 7 of a newer storectl version'),
      [`${id('6')}.json`]: expect.stringContaining('does not match its checksum'),
      [`${id('7')}.json`]: expect.stringContaining('does not match its checksum'),
      [`${id('8')}.json`]: expect.stringContaining('not a regular file'),
      [`${id('9')}.json`]: expect.stringContaining('symbolic link'),
      'notes.txt': expect.stringContaining('not a record of storectl'),
    });
    await history.prune({ olderThanMs: 0 });
    expect(fs.readdirSync(folder).filter((name) => name !== 'locks')).toEqual(before);
  });

  test('reads a record that lacks what later versions of the format added', async () => {
    const record = await history.begin(backup);
    const { sentAt: _, former: __, safetyBackupId: ___, ...early } = record;
    fs.writeFileSync(fileOf(record), serializeWithChecksum(early, 'file'));
    expect(await history.get(record.id)).toEqual(record);
  });

  test('reads a record of the first format, which gets a checksum when it is next written', async () => {
    const record = await history.begin(backup);
    const { reported: _, ...early } = { ...record, format: 1 };
    fs.writeFileSync(fileOf(record), JSON.stringify(early, null, 2));
    const found = await history.get(record.id);
    expect(found).toEqual({ ...record, format: 1, reported: true });
    history.assertUndamaged();

    const updated = await history.update(found, { state: 'sent' });

    expect(updated.format).toBe(2);
    const text = fs.readFileSync(fileOf(record), 'utf8');
    expect(checksumState(text)).toBe('valid');
    expect(await history.get(record.id)).toEqual(updated);
  });

  test('finds a record by its beginning and by its last part', async () => {
    const first = await history.begin(backup);
    now += 1_000;
    const second = await history.begin(backup);
    expect(await history.get(first.id.slice(0, 15))).toEqual(first);
    expect(await history.get(second.id.slice(-6))).toEqual(second);
    await expect(history.get('2026')).rejects.toMatchObject({
      code: 'record_ambiguous',
      message: expect.stringContaining(first.id),
    });
    for (const wanted of ['2027', '', '../main']) {
      await expect(history.get(wanted)).rejects.toMatchObject({ code: 'record_not_found' });
    }
  });
});

describe('a damaged record', () => {
  const openAgain = () => openHistory({ folder, process, now: () => now });
  const damages: [string, (text: Buffer) => Buffer][] = [
    ['emptied', () => Buffer.alloc(0)],
    ['filled with zeros', (text) => Buffer.alloc(text.length)],
    ['cut off', (text) => text.subarray(0, text.length >> 1)],
    ['cut off by a few bytes', (text) => text.subarray(0, -5)],
  ];

  test.each(damages)('that is %s stops every change', async (_what, damage) => {
    const record = await history.begin(backup);
    fs.writeFileSync(fileOf(record), damage(fs.readFileSync(fileOf(record))));
    expect(() => openAgain().assertUndamaged()).toThrow(
      expect.objectContaining({ code: 'history_damaged', file: fileOf(record) }),
    );
    await expect(openAgain().get(record.id)).rejects.toMatchObject({ code: 'history_damaged' });
  });

  test('any flipped bit stops every change, or leaves the record as it was', async () => {
    const record = await history.begin(backup);
    const whole = fs.readFileSync(fileOf(record));
    let unnoticed = 0;
    for (let bit = 0; bit < whole.length * 8; bit += 1) {
      const bytes = Buffer.from(whole);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      fs.writeFileSync(fileOf(record), bytes);
      const { records, problems } = await openAgain().list();
      if (problems.length > 0) {
        expect(() => openAgain().assertUndamaged()).toThrow('storectl history repair');
        continue;
      }
      unnoticed += 1;
      expect(records).toEqual([record]);
    }
    // White space at the very end means nothing.
    expect(unnoticed).toBeLessThan(12);
  });

  test('stops changes also where only the white space around its checksum is damaged', async () => {
    const record = await history.begin(backup);
    const text = fs.readFileSync(fileOf(record), 'utf8');
    const at = text.lastIndexOf('"checksum"');
    const places = [at - 4, at - 3, at - 1, text.length - 3, text.length - 1];
    for (const blank of ['\v', '\f', '\u00a0']) {
      for (const place of places) {
        fs.writeFileSync(fileOf(record), text.slice(0, place) + blank + text.slice(place + 1));
        expect(() => openAgain().assertUndamaged()).toThrow('storectl history repair');
      }
    }
    fs.writeFileSync(fileOf(record), `${text}\r\n`);
    openAgain().assertUndamaged();
  });

  test('is moved aside by repair, which says what can still be read', async () => {
    const record = await history.begin(backup);
    const good = await history.begin({ ...backup, storeId: 'store-2' });
    const text = fs.readFileSync(fileOf(record), 'utf8').replace('"prepared"', '"applied"');
    fs.writeFileSync(fileOf(record), text);
    fs.writeFileSync(path.join(folder, 'notes.txt'), 'mine');

    const repaired = await openAgain().repair();

    const movedTo = path.join(folder, 'damaged', path.basename(fileOf(record)));
    const { id, operation, createdAt, storeId, idempotencyKey } = record;
    const lost = [{ id, operation, createdAt, storeId, idempotencyKey, state: 'applied' }];
    const message = 'does not match its checksum';
    expect(repaired).toEqual([{ file: fileOf(record), movedTo, message, lost }]);
    expect(fs.readFileSync(movedTo, 'utf8')).toBe(text);
    openAgain().assertUndamaged();
    expect(idsOf((await openAgain().list()).records)).toEqual([good.id]);
    expect(await openAgain().repair()).toEqual([]);
    // A second file of the same name does not replace the first.
    fs.writeFileSync(fileOf(record), '');
    expect(await openAgain().repair()).toMatchObject([
      { movedTo: `${movedTo}.1`, lost: [{ id, operation: null }] },
    ]);
  });

  test('of a newer version is left alone by repair', async () => {
    const file = path.join(folder, '20260101-000000-aaaaa5.json');
    await history.begin(backup);
    fs.writeFileSync(file, serializeWithChecksum({ format: 7, id: '20260101-000000-aaaaa5' }, 'file'));
    expect(() => openAgain().assertUndamaged()).toThrow(/format 7 of a newer storectl version: update/);
    expect(await openAgain().repair()).toEqual([]);
    expect(fs.existsSync(file)).toBe(true);
  });
});

test('a folder that is removed while a request is on its way has the record again afterwards', async () => {
  const record = await history.begin(backup);
  fs.rmSync(folder, { recursive: true });
  const updated = await history.update(record, { state: 'unknown' });
  expect(await history.get(record.id)).toEqual(updated);
});

test('prune removes what is old and not open', async () => {
  const applied = await history.begin(backup);
  await history.update(applied, { state: 'applied' });
  const refusedKey = await history.begin(backup);
  const answer = { status: 401, body: null, problem: null, requestId: null, etag: null, retryAt: null };
  await history.update(refusedKey, {
    state: 'rejected',
    answer: { ...answer, receivedAt: new Date(now).toISOString(), replayed: false, settledByReading: false },
  });
  const prepared = await history.begin(backup);
  const inDoubt = await history.begin(backup);
  await history.update(inDoubt, { state: 'unknown' });
  now += 10 * 86_400_000;
  const young = await history.begin(backup);
  await history.update(young, { state: 'applied' });
  const removed = await history.prune({ olderThanMs: 9 * 86_400_000 });
  expect(removed.toSorted()).toEqual(idsOf([applied, refusedKey]).toSorted());
  const { records } = await history.list();
  expect(new Set(idsOf(records))).toEqual(new Set(idsOf([prepared, inDoubt, young])));
});

describe('folders that cannot be used', () => {
  test('a symbolic link is refused, for writing and for reading', async () => {
    const elsewhere = path.join(root, 'elsewhere');
    fs.mkdirSync(elsewhere);
    fs.mkdirSync(path.dirname(folder));
    fs.symlinkSync(elsewhere, folder);
    await expect(history.begin(backup)).rejects.toMatchObject({
      code: 'history_unwritable',
      message: expect.stringContaining('symbolic link'),
    });
    await expect(history.list()).rejects.toMatchObject({ name: 'HistoryError' });
    expect(fs.readdirSync(elsewhere)).toEqual([]);
  });

  test('a file where a folder should be is named, with what to do', async () => {
    fs.writeFileSync(path.join(root, 'history'), '');
    await expect(history.begin(backup)).rejects.toMatchObject({
      code: 'history_unwritable',
      message: expect.stringMatching(/history.main.*not a directory.*STORECTL_STATE_DIR/),
    });
  });

  test('a file system that is read-only is named', async () => {
    // Root may write anywhere else, and every Linux has this one.
    const readOnly = openHistory({ folder: '/proc/self/storectl', process });
    await expect(readOnly.begin(backup)).rejects.toMatchObject({ code: 'history_unwritable' });
  });

  test('a symbolic link in place of a draft is not written through', async () => {
    const bait = path.join(root, 'bait');
    fs.mkdirSync(folder, { recursive: true });
    fs.symlinkSync(bait, path.join(folder, '.20261121-053012-111111.tmp'));
    await expect(history.begin({ ...backup, id: '20261121-053012-111111' })).rejects.toMatchObject({
      code: 'history_unwritable',
    });
    expect(fs.existsSync(bait)).toBe(false);
  });
});
