import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createBlogPost } from '../../src/contract/blog.ts';
import type { Batch } from '../../src/history/batch.ts';
import { type History, openHistory } from '../../src/history/journal.ts';
import { resumeRecord } from '../../src/history/resume.ts';
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
  const create = (batch: Batch, title: string) =>
    batch.perform({
      client,
      ...place,
      operation: createBlogPost,
      body: { title, contentMd: 'x' },
      secrets: ['sk_secret_key'],
    });
  return { server, client, create };
}

const files = (suffix: string, within = folder) =>
  readdirSync(within).filter((name) => name.endsWith(suffix));
const titles = Array.from({ length: 20 }, (_, index) => `Post ${index}`);
const never = { mostAtOnce: 4, isOver: () => false };

async function states(of: History = history): Promise<string[]> {
  const { records, problems } = await of.list();
  expect(problems).toEqual([]);
  return records.map(({ state, body }) => `${JSON.parse(body ?? '{}').title} ${state}`).sort();
}

test('each request is on record before it arrives; in the end each has a file of its own, and there is no log', async () => {
  const unrecorded: string[] = [];
  const { server, create } = await startScene(({ body }) => {
    const [log = ''] = files('.batch');
    const text = readFileSync(path.join(folder, log), 'utf8');
    const isWritten = text
      .split('\n')
      .some((line) => line.includes(JSON.stringify(body)) && line.includes('"state":"sent"'));
    if (!isWritten) unrecorded.push(body);
    expect(statSync(path.join(folder, log)).mode & 0o777).toBe(0o600);
    return 'answer';
  });
  const batch = await history.beginBatch(never);
  const done = await Promise.all(titles.map((title) => create(batch, title)));
  await batch.end();

  expect(unrecorded).toEqual([]);
  expect(server.received).toHaveLength(titles.length);
  expect(done.map(({ outcome }) => outcome.kind)).toEqual(titles.map(() => 'applied'));
  expect(files('.json').sort()).toEqual(done.map(({ record }) => `${record.id}.json`).sort());
  expect(readdirSync(folder).filter((name) => name !== 'locks' && !name.endsWith('.json'))).toEqual([]);
  expect(readdirSync(path.join(folder, 'locks'))).toEqual([]);
  expect(await states()).toEqual(titles.map((title) => `${title} applied`).sort());
});

test('no more than so many are on their way at once, and what is not yet is not sent when it is over', async () => {
  let isOver = false;
  let underWay = 0;
  let most = 0;
  const { server, create } = await startScene(async (): Promise<Reaction> => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    isOver = true;
    underWay -= 1;
    return 'answer';
  });
  const batch = await history.beginBatch({ mostAtOnce: 3, isOver: () => isOver });
  const done = await Promise.all(titles.map((title) => create(batch, title)));
  await batch.end();

  expect(most).toBeLessThanOrEqual(3);
  const kinds = done.map(({ outcome }) => outcome.kind);
  expect(kinds.filter((kind) => kind === 'applied')).toHaveLength(server.received.length);
  expect(kinds.filter((kind) => kind === 'not_sent')).toHaveLength(titles.length - server.received.length);
  expect((await history.list({ open: true })).records).toEqual([]);
});

test('what a killed process has left in a log is known, resumed, and split up', async () => {
  const copy = path.join(root, 'copy');
  const { server, client, create } = await startScene(({ body }) => {
    // As it lies on the disk when the process dies with this request on its way.
    if (body.includes('Post 7"')) cpSync(folder, copy, { recursive: true });
    return 'answer';
  });
  const batch = await history.beginBatch({ mostAtOnce: 1, isOver: () => false });
  for (const title of titles.slice(0, 8)) await create(batch, title);
  await batch.end();
  rmSync(path.join(copy, 'locks'), { recursive: true });
  const [log = ''] = files('.batch', copy);
  appendFileSync(path.join(copy, log), '{"format":1,"id":"20261121-053012-7k3f9a","createdAt":"2026');

  const left = openHistory({ folder: copy, process });
  const known = titles.slice(0, 7).map((title) => `${title} applied`);
  expect(await states(left)).toEqual([...known, 'Post 7 sent']);
  const [open] = (await left.list({ open: true })).records;
  if (open === undefined) throw new Error('nothing is open');
  expect(await left.get(open.id)).toEqual(open);

  const before = server.received.length;
  const resumed = await resumeRecord({ history: left, client, record: open, ...place });
  expect(resumed).toMatchObject({ action: 'left', reason: 'one_shot' });
  expect(server.received).toHaveLength(before);
  expect(await states(left)).toEqual([...known, 'Post 7 unknown']);
  expect({ logs: files('.batch', copy), records: files('.json', copy).length }).toEqual({
    logs: [],
    records: 8,
  });
});

test('killed while the log was being split up: files count, and the rest is taken from the log', async () => {
  const copy = path.join(root, 'copy');
  const { create } = await startScene();
  const batch = await history.beginBatch(never);
  const done = await Promise.all(titles.map((title) => create(batch, title)));
  cpSync(folder, copy, { recursive: true });
  await batch.end();
  rmSync(path.join(copy, 'locks'), { recursive: true });
  for (const { record } of done.slice(0, 5)) {
    cpSync(path.join(folder, `${record.id}.json`), path.join(copy, `${record.id}.json`));
  }
  const left = openHistory({ folder: copy, process, now: () => Date.now() + 10_000 });
  const all = titles.map((title) => `${title} applied`).sort();
  expect(await states(left)).toEqual(all);
  expect(await left.prune({ olderThanMs: 5_000 })).toHaveLength(titles.length);
  expect({ logs: files('.batch', copy), after: await states(left) }).toEqual({ logs: [], after: [] });
});

test('the key in a post is refused before anything is written', async () => {
  const { server, create } = await startScene();
  const batch = await history.beginBatch(never);
  await expect(create(batch, 'It is sk_secret_key')).rejects.toMatchObject({ code: 'secret_in_record' });
  await batch.end();
  expect(server.received).toEqual([]);
  expect(await states()).toEqual([]);
});
