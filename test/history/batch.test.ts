import * as fs from 'node:fs';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createBlogPost } from '../../src/contract/operations/blog.ts';
import { toLine } from '../../src/history/batch/log-file.ts';
import type { FileSystem } from '../../src/history/files/files.ts';
import type { Batch, History } from '../../src/history/history.ts';
import { openHistory } from '../../src/history/journal.ts';
import { readNewestRecords } from '../../src/history/newest-records.ts';
import type { RecordOutline } from '../../src/history/records/outline.ts';
import { type HistoryRecord, lockName } from '../../src/history/records/record.ts';
import { markRecord, resumeRecord } from '../../src/history/sending/resume.ts';
import { type Reaction, type Received, startStoreServer } from './helpers/store-server.ts';

const place = { profile: 'main', origin: 'https://api.example.com', storeId: 'store-1' };

let root: string;
let folder: string;
let history: History;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'storectl-batch-'));
  folder = path.join(root, 'history');
  history = openHistory({ folder, process });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A service, and a way to create posts there within a batch. */
async function startScene(react?: (request: Received, number: number) => Reaction | Promise<Reaction>) {
  const server = await startStoreServer(react);
  const client = createClient({ baseUrl: server.url, apiKey: 'sk_secret_key', userAgent: 'test', env: {} });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const begin = (limits = never, of: History = history) =>
    of.beginBatch({ client, ...place, operation: createBlogPost, secrets: ['sk_secret_key'], ...limits });
  const create = (batch: Batch, title: string) => batch.perform(batch.prepare({ title, contentMd: 'x' }));
  return { server, client, begin, create };
}

const files = (suffix: string, within = folder) =>
  readdirSync(within).filter((name) => name.endsWith(suffix));
const titles = Array.from({ length: 20 }, (_, index) => `Post ${index}`);
const never = { maxAtOnce: () => 4, isOver: () => false };

async function states(of: History = history): Promise<string[]> {
  const { records, problems } = await of.list();
  expect(problems).toEqual([]);
  return records.map(({ state, body }) => `${JSON.parse(body ?? '{}').title} ${state}`).sort();
}

test('each request is on record before it arrives, and the log is where the records stay', async () => {
  const unrecorded: string[] = [];
  const { server, begin, create } = await startScene(({ body }) => {
    const [log = ''] = files('.batch');
    const text = readFileSync(path.join(folder, log), 'utf8');
    const isWritten = text
      .split('\n')
      .some((line) => line.includes(JSON.stringify(body)) && line.includes('"state":"sent"'));
    if (!isWritten) unrecorded.push(body);
    expect(statSync(path.join(folder, log)).mode & 0o777).toBe(0o600);
    return 'answer';
  });
  const batch = await begin();
  const done = await Promise.all(titles.map((title) => create(batch, title)));
  batch.end();

  expect(unrecorded).toEqual([]);
  expect(server.received).toHaveLength(titles.length);
  expect(done.map(({ outcome }) => outcome.kind)).toEqual(titles.map(() => 'applied'));
  const [log = '', ...others] = readdirSync(folder).filter((name) => name !== 'locks');
  expect({ log, others }).toEqual({ log: expect.stringMatching(/\.batch$/), others: [] });
  expect(readdirSync(path.join(folder, 'locks'))).toEqual([]);
  // The space that was taken in advance is given back.
  expect(readFileSync(path.join(folder, log), 'utf8')).toMatch(/\}\n$/);
  const known = await openHistory({ folder, process }).list();
  expect(known.problems).toEqual([]);
  const byId = (records: HistoryRecord[]) => records.sort((one, other) => (one.id < other.id ? -1 : 1));
  expect(byId(known.records)).toEqual(byId(done.map(({ record }) => record)));
});

test('a limited number of requests is in flight at once, and the rest is not sent when the batch is over', async () => {
  let isOver = false;
  let underWay = 0;
  let most = 0;
  const { server, begin, create } = await startScene(async (): Promise<Reaction> => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    isOver = true;
    underWay -= 1;
    return 'answer';
  });
  const batch = await begin({ maxAtOnce: () => 3, isOver: () => isOver });
  const done = await Promise.all(titles.map((title) => create(batch, title)));
  batch.end();

  expect(most).toBeLessThanOrEqual(3);
  const kinds = done.map(({ outcome }) => outcome.kind);
  expect(kinds.filter((kind) => kind === 'applied')).toHaveLength(server.received.length);
  expect(kinds.filter((kind) => kind === 'not_sent')).toHaveLength(titles.length - server.received.length);
  expect((await history.list({ open: true })).records).toEqual([]);
});

/** The folder as it lies on the disk when the process dies with the request for Post 7 on its way. */
async function killedAtPost7() {
  const copy = path.join(root, 'copy');
  const scene = await startScene(({ body }) => {
    if (body.includes('Post 7"')) cpSync(folder, copy, { recursive: true });
    return 'answer';
  });
  const batch = await scene.begin({ maxAtOnce: () => 1, isOver: () => false });
  for (const title of titles.slice(0, 8)) await scene.create(batch, title);
  batch.end();
  rmSync(path.join(copy, 'locks'), { recursive: true });
  const [log = ''] = files('.batch', copy);
  const left = openHistory({ folder: copy, process });
  const [open] = (await left.list({ open: true })).records;
  if (open === undefined) throw new Error('nothing is open');
  return { ...scene, log: path.join(copy, log), left, open };
}

const knownAtPost7 = titles.slice(0, 7).map((title) => `${title} applied`);

test('completion, which checks nothing, finds the same records as the list', async () => {
  const { log, left } = await killedAtPost7();
  const { records } = await left.list();
  const [first] = records;
  if (first === undefined) throw new Error('there are no records');
  // A record's own file is newer than the log.
  await left.withLock(lockName(first), () => left.update(first, { state: 'unknown' }));
  const outline = ({ id, operation, storeId, origin, path, createdAt, state, answer }: RecordOutline) => ({
    ...{ id, operation, storeId, origin, path, createdAt, state },
    answer: answer && { status: answer.status, body: answer.body, receivedAt: answer.receivedAt },
  });
  const byId = (a: RecordOutline, b: RecordOutline) => (a.id < b.id ? -1 : 1);

  const listed = (await left.list()).records.toSorted(byId).map(outline);
  expect(listed).toHaveLength(8);
  expect(readNewestRecords(path.dirname(log)).toSorted(byId)).toEqual(listed);
  expect(readNewestRecords(path.join(root, 'missing'))).toEqual([]);
});

test('what a killed process has left in a log is known, blanks and half a line after it, and resumed', async () => {
  const { server, client, log, left, open } = await killedAtPost7();
  const text = readFileSync(log, 'utf8');
  expect(text).toMatch(/\}\n {1000,}$/);
  const half = '{"format":2,"id":"20261121-053012-7k3f9a","createdAt":"2026';
  writeFileSync(log, text.trimEnd() + `\n${half}`.padEnd(4096));

  expect(await states(left)).toEqual([...knownAtPost7, 'Post 7 sent']);
  expect(await left.get(open.id)).toEqual(open);
  const before = server.received.length;
  const resumed = await resumeRecord({ history: left, client, record: open, ...place });
  expect(resumed).toMatchObject({ action: 'left', reason: 'one_shot' });
  expect(server.received).toHaveLength(before);
  expect(await states(left)).toEqual([...knownAtPost7, 'Post 7 unknown']);
  expect(await left.get(open.id)).toMatchObject({ state: 'unknown', body: open.body });
  // A definite end stays one, although the log says otherwise.
  await markRecord({ history: left }, open.id, 'applied');
  expect(await left.update(open, { state: 'not_sent' })).toMatchObject({ state: 'applied' });
});

test('a damaged line stops every change; repair keeps the others and says what is lost', async () => {
  const { client, log, left } = await killedAtPost7();
  const within = path.dirname(log);
  const openAgain = () => openHistory({ folder: within, process });
  const text = readFileSync(log, 'utf8');
  writeFileSync(log, text.replace('Post 3', 'Post 4'));
  const { records, problems } = await left.list();
  // What says that it was applied is whole, but not what it was.
  expect(records).toHaveLength(7);
  expect(problems).toMatchObject([
    { file: log, kind: 'damaged', message: 'has a line that does not match its checksum' },
  ]);
  expect(() => openAgain().assertUndamaged()).toThrow(
    expect.objectContaining({ code: 'history_damaged', file: log }),
  );
  await expect(
    openAgain().beginBatch({ client, ...place, operation: createBlogPost, secrets: [], ...never }),
  ).rejects.toMatchObject({ code: 'history_damaged' });

  const [repaired] = await openAgain().repair();

  expect(repaired).toMatchObject({
    file: log,
    movedTo: path.join(within, 'damaged', path.basename(log)),
    lost: [{ operation: 'blog.create', storeId: place.storeId, state: 'applied' }],
  });
  expect(readFileSync(repaired?.movedTo ?? '', 'utf8')).toContain('Post 4');
  openAgain().assertUndamaged();
  expect(await openAgain().list()).toMatchObject({ records: { length: 7 }, problems: [] });
});

test('whatever line of a log is damaged, nothing is left to repair after it was repaired once', async () => {
  const { log, left } = await killedAtPost7();
  const within = path.dirname(log);
  const openAgain = () => openHistory({ folder: within, process });
  const { records } = await left.list();
  // A record that waits is read before each change.
  const waits = records.map(({ id }) => toLine({ format: 2, id, retryAt: Date.now() + 600_000 }));
  const lines = [...readFileSync(log, 'utf8').trimEnd().split('\n'), ...waits.map((line) => line.trimEnd())];
  for (const [number, line] of lines.entries()) {
    writeFileSync(log, `${lines.with(number, line.replace('"id"', '"ID"')).join('\n')}\n`);
    expect(await openAgain().repair(), line).toMatchObject([{ file: log, lost: [{}] }]);
    openAgain().assertUndamaged();
    expect((await openAgain().list()).problems).toEqual([]);
    expect(await openAgain().repair()).toEqual([]);
  }
});

test('any flipped bit of a log is damage, or changes nothing', async () => {
  const { log, left } = await killedAtPost7();
  const known = await states(left);
  const text = readFileSync(log, 'utf8').trimEnd();
  const whole = Buffer.from(`${text}\n   `);
  for (let bit = 0; bit < whole.length * 8; bit += 37) {
    const bytes = Buffer.from(whole);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(log, bytes);
    const { records, problems } = await left.list();
    if (problems.length === 0) expect(records).toHaveLength(known.length);
  }
  // The line break of the last line.
  writeFileSync(log, `${text}*   `);
  expect(await states(left)).toEqual(known);
});

test('a log that cannot be read is a problem in lists, and an error when its records are needed', async () => {
  const { client, log, left, open } = await killedAtPost7();
  const lines = readFileSync(log);
  await markRecord({ history: left }, open.id, 'applied');
  const within = path.dirname(log);
  const unreadable = { code: 'history_unreadable', file: log };
  const later = openHistory({ folder: within, process, now: () => Date.now() + 10_000 });
  for (const spoil of [() => mkdirSync(log), () => symlinkSync('elsewhere', log)]) {
    rmSync(log, { recursive: true });
    spoil();
    const { records, problems } = await left.list();
    expect(records.map(({ id }) => id)).toEqual([open.id]);
    expect(problems).toMatchObject([{ file: log, message: expect.stringMatching(/^cannot be read: /) }]);
    expect(await left.get(open.id)).toMatchObject({ state: 'applied' });
    await expect(left.get('20261121-053012-7k3f9a')).rejects.toMatchObject(unreadable);
    // It hides what the log says, should that ever be readable again.
    expect(await later.prune({ olderThanMs: 5_000 })).toEqual([]);
  }
  rmSync(path.join(within, `${open.id}.json`));
  await expect(left.update(open, { state: 'unknown' })).rejects.toMatchObject(unreadable);
  await expect(resumeRecord({ history: left, client, record: open, ...place })).rejects.toMatchObject(
    unreadable,
  );
  rmSync(log);
  writeFileSync(log, lines);
  expect(await states(left)).toEqual([...knownAtPost7, 'Post 7 sent']);
});

test('prune removes old records from a log, and the log with the last of them; no record comes back', async () => {
  const { log, left, open } = await killedAtPost7();
  // The first line of one more, that was cut off.
  const text = readFileSync(log, 'utf8').trimEnd();
  writeFileSync(log, `${text}\n{"format":2,"id":"20261121-132006-zzzzzz","createdAt":"20`);
  const later = openHistory({ folder: path.dirname(log), process, now: () => Date.now() + 10_000 });
  expect(await later.prune({ olderThanMs: 60_000 })).toEqual([]);
  expect(await later.prune({ olderThanMs: 5_000 })).toHaveLength(7);
  expect(await states(left)).toEqual(['Post 7 sent']);
  // A file of its own is newer than the log, and hides it.
  await markRecord({ history: left }, open.id, 'applied');
  expect(await later.prune({ olderThanMs: 5_000 })).toEqual([open.id]);
  expect(await states(left)).toEqual([]);
  expect(readdirSync(path.dirname(log))).toEqual(['locks']);
});

/** `node:fs` on a disk with limited space for logs; locks, which are written without a position, do not count. */
function smallDisk(size: number): FileSystem {
  const write = (descriptor: number, bytes: Buffer, from: number, length?: number, at?: number) => {
    if (length === undefined || at === undefined) return fs.writeSync(descriptor, bytes, from);
    if (at >= size) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    return fs.writeSync(descriptor, bytes, from, Math.min(length, size - at), at);
  };
  return { ...fs, writeSync: write as typeof fs.writeSync };
}

test('a disk without room for space in advance still takes the records', async () => {
  const small = openHistory({ folder, process, fileSystem: smallDisk(100_000) });
  const { begin, create } = await startScene();
  const batch = await begin(never, small);
  for (const title of titles) await create(batch, title);
  batch.end();
  expect(await states()).toEqual(titles.map((title) => `${title} applied`).sort());
});

test('a disk that is full: nothing more is sent, and what was sent is on record', async () => {
  const small = openHistory({ folder, process, fileSystem: smallDisk(12_000) });
  const { server, begin, create } = await startScene();
  const batch = await begin(never, small);
  const done = await Promise.allSettled(titles.map((title) => create(batch, title)));
  batch.end();

  const failed = done.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(failed.length).toBeGreaterThan(0);
  for (const reason of failed) expect(reason).toMatchObject({ code: 'disk_full' });
  const { records } = await history.list();
  const recorded = new Set(records.map(({ body }) => body));
  expect(server.received.filter(({ body }) => !recorded.has(body))).toEqual([]);
  expect(server.received.length + failed.length).toBe(titles.length);
});

test('each request is synced before it arrives, also what is written down while others are synced', async () => {
  let synced = '';
  let atOnce = 0;
  const slow: FileSystem = {
    ...fs,
    fdatasync: ((descriptor: number, callback: fs.NoParamCallback) => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      const [log = ''] = files('.batch');
      const written = readFileSync(path.join(folder, log), 'utf8');
      const end: fs.NoParamCallback = (error) => {
        synced = written;
        atOnce -= 1;
        callback(error);
      };
      setTimeout(() => fs.fdatasync(descriptor, end), 5);
    }) as typeof fs.fdatasync,
  };
  const unsynced: string[] = [];
  const { server, begin, create } = await startScene(({ body }) => {
    if (!synced.includes(JSON.stringify(body))) unsynced.push(body);
    return 'answer';
  });
  const batch = await begin(never, openHistory({ folder, process, fileSystem: slow }));
  await Promise.all(titles.map((title) => create(batch, title)));
  batch.end();

  expect(server.received).toHaveLength(titles.length);
  expect(unsynced).toEqual([]);
  expect(await states()).toEqual(titles.map((title) => `${title} applied`).sort());
});

test('what a disk fails to sync is not sent', async () => {
  let syncs = 0;
  const failing: FileSystem = {
    ...fs,
    fdatasync: ((descriptor: number, callback: fs.NoParamCallback) => {
      syncs += 1;
      if (syncs > 1) fs.fdatasync(descriptor, callback);
      else setImmediate(callback, Object.assign(new Error('input/output error'), { code: 'EIO' }));
    }) as typeof fs.fdatasync,
  };
  const { server, begin, create } = await startScene();
  const batch = await begin(never, openHistory({ folder, process, fileSystem: failing }));
  const done = await Promise.allSettled(titles.map((title) => create(batch, title)));
  batch.end();

  const failed = titles.filter((_, index) => done[index]?.status === 'rejected');
  expect(failed).not.toEqual([]);
  for (const one of done)
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'history_unwritable' });
  expect(server.received.filter(({ body }) => failed.includes(JSON.parse(body).title))).toEqual([]);
  expect(server.received).toHaveLength(titles.length - failed.length);
});

test('nothing more is sent when the log is taken away', async () => {
  const { server, begin, create } = await startScene(({ body }) => {
    if (body.includes('Post 7"')) rmSync(path.join(folder, files('.batch')[0] ?? ''));
    return 'answer';
  });
  const batch = await begin({ maxAtOnce: () => 1, isOver: () => false });
  const done = await Promise.allSettled(titles.map((title) => create(batch, title)));
  batch.end();

  // One more was written down before.
  expect(server.received.length).toBeLessThanOrEqual(9);
  expect(done.at(-1)).toMatchObject({
    status: 'rejected',
    reason: { code: 'history_unwritable', message: expect.stringMatching(/\.batch: it was removed/) },
  });
});

test('long posts go to several logs, and each is found', async () => {
  const { client, begin } = await startScene();
  const batch = await begin();
  const contentMd = 'x'.repeat(5 * 1024 * 1024);
  const bodies = titles.slice(0, 4).map((title) => ({ title, contentMd }));
  const done = await Promise.all(bodies.map((body) => batch.perform(batch.prepare(body))));
  batch.end();
  await client.close();
  expect(files('.batch')).toHaveLength(2);
  expect(await states()).toEqual(titles.slice(0, 4).map((title) => `${title} applied`));
  for (const { record } of done) expect(await history.get(record.id)).toEqual(record);
});

test('the key in a post is refused before anything is written', async () => {
  const { server, begin, create } = await startScene();
  const batch = await begin();
  await expect(create(batch, 'It is sk_secret_key')).rejects.toMatchObject({ code: 'secret_in_record' });
  batch.end();
  expect(server.received).toEqual([]);
  expect(await states()).toEqual([]);
});
