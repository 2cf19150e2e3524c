import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { openHistory } from '../../src/history/journal.ts';
import { type Resumed, resumeRecord } from '../../src/history/sending/resume.ts';
import { buildChildren, type Children } from './helpers/processes.ts';
import { type StoreServer, startStoreServer } from './helpers/store-server.ts';

let children: Children;
let root: string;

beforeAll(async () => {
  children = await buildChildren();
  root = mkdtempSync(path.join(tmpdir(), 'storectl-crash-'));
});

afterAll(() => {
  children.remove();
  rmSync(root, { recursive: true, force: true });
});

const backup = {
  operation: 'backup.create',
  body: { label: 'nightly', sections: ['store'], idempotencyKey: 'K' },
};
const post = { operation: 'blog.create', body: { title: 'Hello', contentMd: 'World' } };

/** Resumes every open record as the next process would. */
async function resumeAll(folder: string, server: StoreServer): Promise<Resumed[]> {
  const history = openHistory({ folder, process });
  const client = createClient({ baseUrl: server.url, apiKey: 'another-key', userAgent: 'test', env: {} });
  const { records, problems } = await history.list({ open: true });
  expect(problems).toEqual([]);
  const results: Resumed[] = [];
  for (const record of records) {
    const place = { origin: 'https://api.example.com', storeId: 'store-1' };
    results.push(await resumeRecord({ history, client, record, ...place }));
  }
  await client.close();
  return results;
}

/** Runs `round` for `from` and every number after it, a few at a time, until one says that there was nothing left to interrupt. */
async function sweepSteps(from: number, round: (step: number) => Promise<boolean>): Promise<number> {
  let next = from;
  let finished = false;
  const worker = async () => {
    while (!finished) {
      const step = next;
      next += 1;
      if (!(await round(step))) finished = true;
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return next - 1;
}

test('a keyed operation killed at any change to the disk has exactly one effect after resume', async () => {
  const steps = await sweepSteps(1, async (killAt) => {
    const server = await startStoreServer();
    const folder = path.join(root, `keyed-${killAt}`);
    const child = children.start({ does: 'perform', folder, url: server.url, ...backup, killAt });
    const { signal, stderr } = await child.ended;
    expect(stderr).toBe('');
    const { records } = await openHistory({ folder, process }).list();
    // What was sent is on record, as exactly what was sent.
    if (server.received.length > 0) {
      expect(records).toMatchObject([{ body: server.received[0]?.body }]);
      expect(records[0]?.state).toMatch(/^(sent|applied)$/);
    }
    await resumeAll(folder, server);
    expect(server.effects).toHaveLength(records.length);
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(records.length);
    const after = await openHistory({ folder, process }).list();
    expect(after.records.map(({ state }) => state)).toEqual(records.map(() => 'applied'));
    await server.close();
    return signal === 'SIGKILL';
  });
  expect(steps).toBeGreaterThan(25);
});

test('a one-shot operation killed at any change to the disk is never sent twice and never called unsent', async () => {
  // The changes before the record has its name are the same as above.
  await sweepSteps(14, async (killAt) => {
    const server = await startStoreServer();
    const folder = path.join(root, `one-shot-${killAt}`);
    const child = children.start({ does: 'perform', folder, url: server.url, ...post, killAt });
    const { signal, stderr } = await child.ended;
    expect(stderr).toBe('');
    const sent = server.received.length;
    await resumeAll(folder, server);
    expect(server.received).toHaveLength(sent);
    const { records } = await openHistory({ folder, process }).list();
    const [state] = records.map((record) => record.state);
    if (sent === 1) expect(state).toMatch(/^(unknown|applied)$/);
    else expect(state ?? 'not_sent').toMatch(/^(unknown|not_sent)$/);
    await server.close();
    return signal === 'SIGKILL';
  });
});

test('killed while the service works: resume gets the one effect', async () => {
  const kill: { now(): void } = { now() {} };
  const server = await startStoreServer((_request, number) => {
    if (number === 1) kill.now();
    return 'answer';
  });
  const folder = path.join(root, 'waiting');
  const child = children.start({ does: 'perform', folder, url: server.url, ...backup });
  kill.now = () => child.process.kill('SIGKILL');
  expect((await child.ended).signal).toBe('SIGKILL');
  const resumed = await resumeAll(folder, server);
  expect(resumed).toMatchObject([{ action: 'sent', outcome: { kind: 'applied', body: { id: 'made-1' } } }]);
  expect(server.effects).toEqual(['made-1']);
  expect(server.received[0]?.body).toBe(server.received[1]?.body);
  await server.close();
});

test('killed at random times, again and again, over one key: one effect, no file lost or torn', async () => {
  const server = await startStoreServer();
  const folder = path.join(root, 'random');
  for (let round = 0; round < 10; round += 1) {
    const run = () => {
      const child = children.start({ does: 'perform', folder, url: server.url, ...backup });
      setTimeout(() => child.process.kill('SIGKILL'), 60 + Math.random() * 160);
      return child.ended;
    };
    await Promise.all([run(), run()]);
  }
  await resumeAll(folder, server);
  const last = await children.start({ does: 'perform', folder, url: server.url, ...backup }).ended;
  expect(JSON.parse(last.stdout)).toMatchObject({ outcome: { kind: 'applied', body: { id: 'made-1' } } });
  expect(server.effects).toEqual(['made-1']);
  const { records, problems } = await openHistory({ folder, process }).list();
  expect({ states: records.map(({ state }) => state), problems }).toEqual({
    states: ['applied'],
    problems: [],
  });
  await server.close();
});

test('prune removes the locks of killed processes', async () => {
  const server = await startStoreServer();
  const folder = path.join(root, 'locks-of-the-dead');
  await children.start({ does: 'perform', folder, url: server.url, ...backup, killAt: 20 }).ended;
  const locks = () => readdirSync(path.join(folder, 'locks'));
  expect(locks()).toEqual([expect.stringMatching(/\.lock$/)]);
  await openHistory({ folder, process }).prune({ olderThanMs: 0 });
  expect(locks()).toEqual([]);
  await server.close();
});
