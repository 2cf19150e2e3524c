import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecords } from '../../src/history/changes/plan-resume.ts';
import { type ResumeResult, resumeRecord } from '../../src/history/changes/resume.ts';
import { openHistory } from '../../src/history/history.ts';
import { buildChildren, type Children } from '../helpers/children.ts';
import type { ChildTask } from './helpers/child.ts';
import { safetyLabel, store } from './helpers/scene.ts';
import { skippingClient } from './helpers/skipping-client.ts';
import { type StoreServer, startStoreServer } from './helpers/store-server.ts';

let children: Children<ChildTask>;
let root: string;

beforeAll(async () => {
  children = await buildChildren(path.join(import.meta.dirname, 'helpers', 'child.ts'));
  root = mkdtempSync(path.join(tmpdir(), 'storectl-killed-'));
});

afterAll(() => {
  children.remove();
  rmSync(root, { recursive: true, force: true });
});

type Task = Pick<ChildTask, 'operation' | 'body' | 'parameters' | 'isSafe'>;
const sections = ['store'];
const backup: Task = { operation: 'backup.create', body: { label: 'nightly', sections } };
const keyed: Task = { ...backup, body: { ...backup.body, idempotencyKey: 'K' } };
const post: Task = { operation: 'blog.create', body: { title: 'Hello', contentMd: 'World' } };
const dispute: Task = { operation: 'disputes.open', body: { kind: 'payment', reason: 'late' } };
const rename: Task = { operation: 'store.update', body: { name: 'A' } };
const restore: Task = {
  operation: 'backup.restore',
  parameters: { backupId: 'b-1' },
  body: { sections },
  isSafe: true,
};

const open = (folder: string) => openHistory({ folder, store, profile: 'main', process });

function recordsIn(folder: string) {
  const { records, problems } = open(folder).snapshot().list();
  expect(problems).toEqual([]);
  return records;
}

/** Resumes every open record as the next process would. */
async function resumeAll(folder: string, server: StoreServer): Promise<ResumeResult[]> {
  const history = open(folder);
  const { client } = skippingClient(server.url);
  const results: ResumeResult[] = [];
  for (const { id, safetyBackupFor } of openRecords(history)) {
    const isConfirmed = safetyBackupFor === null;
    results.push(await resumeRecord(history, id, { client, settlePauseMs: 1, isConfirmed, safetyLabel }));
  }
  await history.end();
  await client.close();
  return results;
}

/** Kills the task at each change to the disk, a few at a time, and looks at what is left. Returns how many changes there are. */
async function killEverywhere(
  task: Task,
  look: (folder: string, server: StoreServer) => Promise<void>,
): Promise<number> {
  let last = 0;
  let hasEnded = false;
  const killNext = async () => {
    while (!hasEnded) {
      last += 1;
      if (!(await killAndLook({ ...task, killAt: last }, look))) hasEnded = true;
    }
  };
  await Promise.all([killNext(), killNext(), killNext()]);
  return last;
}

/** False if the task had ended before. */
async function killAndLook(
  task: Task & { readonly killAt: number },
  look: (folder: string, server: StoreServer) => Promise<void>,
): Promise<boolean> {
  const server = await startStoreServer();
  const folder = path.join(root, `${task.operation}-${task.killAt}`);
  const { signal, stderr } = await children.start({ folder, url: server.url, ...task }).ended;
  expect(stderr).toBe('');
  // What was sent is on record, as exactly what was sent.
  const bodies = recordsIn(folder).map(({ body }) => body);
  for (const { body } of server.received) expect(bodies).toContain(body);
  await look(folder, server);
  await server.close();
  return signal === 'SIGKILL';
}

const tail = ({ received }: StoreServer) => received.map(({ path: to }) => to.split('/').at(-1));

test('killed at any change to the disk, a backup has one effect after resume', async () => {
  const steps = await killEverywhere(backup, async (folder, server) => {
    const begun = recordsIn(folder).length;
    await resumeAll(folder, server);
    expect(server.effects).toHaveLength(begun);
    expect(recordsIn(folder).map(({ state, open }) => [state, open])).toEqual(
      begun ? [['applied', false]] : [],
    );
  });
  expect(steps).toBeGreaterThan(15);
}, 120_000);

test('and a dispute has one effect when the command is given again', async () => {
  await killEverywhere(dispute, async (folder, server) => {
    const hadEnded = recordsIn(folder).some((record) => !record.open);
    const again = children.start({ folder, url: server.url, ...dispute });
    expect(JSON.parse((await again.ended).stdout)).toMatchObject({ outcome: { kind: 'applied' } });
    expect(server.effects).toHaveLength(hadEnded ? 2 : 1);
  });
}, 120_000);

test('and a post is sent at most once, and never called unsent if it was sent', async () => {
  await killEverywhere(post, async (folder, server) => {
    const sent = server.received.length;
    await resumeAll(folder, server);
    expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(sent);
    const [state] = recordsIn(folder).map((record) => record.state);
    if (sent === 1) expect(state).toMatch(/^(unknown|applied)$/);
    else expect(state ?? 'not begun').toMatch(/^(unknown|not begun)$/);
  });
}, 120_000);

test('and a restore is never sent before its safety backup is on record, nor without one', async () => {
  const steps = await killEverywhere(restore, async (folder, server) => {
    const wanted = tail(server).includes('restore') ? ['backups', 'restore'] : ['backups'];
    if (server.received.length > 0) expect(tail(server)).toEqual(wanted);
    const main = recordsIn(folder).find(({ operation }) => operation === 'backup.restore');
    expect(main === undefined || main.safetyBackupId === 'made-1').toBe(true);
    await resumeAll(folder, server);
    const [last] = recordsIn(folder).filter(({ operation }) => operation === 'backup.restore');
    if (last !== undefined) expect(last).toMatchObject({ state: 'applied', open: false });
    expect(openRecords(open(folder))).toEqual([]);
  });
  expect(steps).toBeGreaterThan(20);
}, 120_000);

test('killed again and again over one key: one effect, no log lost or torn', async () => {
  const server = await startStoreServer();
  const folder = path.join(root, 'random');
  for (let round = 0; round < 6; round += 1) {
    const run = () => {
      const child = children.start({ folder, url: server.url, ...keyed });
      setTimeout(() => child.process.kill('SIGKILL'), 60 + Math.random() * 160);
      return child.ended;
    };
    await Promise.all([run(), run()]);
  }
  await resumeAll(folder, server);
  const last = await children.start({ folder, url: server.url, ...keyed }).ended;
  expect(JSON.parse(last.stdout)).toMatchObject({ outcome: { kind: 'applied', body: { id: 'made-1' } } });
  expect(server.effects).toEqual(['made-1']);
  expect(recordsIn(folder).map(({ state }) => state)).toEqual(['applied']);
  await server.close();
});

test('updates at once take effect in the order of their numbers', async () => {
  const server = await startStoreServer();
  const folder = path.join(root, 'order');
  const names = ['A', 'B', 'C', 'D'];
  const runs = names.map(
    (name) => children.start({ folder, url: server.url, ...rename, body: { name } }).ended,
  );
  await Promise.all(runs);
  const byNumber = recordsIn(folder).sort((one, other) => one.number - other.number);
  expect(byNumber.map(({ body }) => body)).toEqual(server.received.map(({ body }) => body));
  expect(new Set(byNumber.map(({ number }) => number)).size).toBe(names.length);
  await server.close();
});
