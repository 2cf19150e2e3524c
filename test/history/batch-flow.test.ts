import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../../src/history/files/files.ts';
import type { Batch, BatchOptions } from '../../src/history/history.ts';
import { openHistory } from '../../src/history/journal.ts';
import { lockName } from '../../src/history/records/record.ts';
import { place, post, type Scene, startScene } from './helpers/scene.ts';
import type { Reaction } from './helpers/store-server.ts';

const begin = (
  { history, client }: Scene,
  options: Partial<BatchOptions> = {},
  of = history,
): Promise<Batch> =>
  of.beginBatch({
    ...{ client, ...place, operation: post.operation, secrets: [] },
    ...{ maxAtOnce: () => 1, isOver: () => false },
    ...options,
  });

const create = (batch: Batch, title: string) => batch.perform(batch.prepare({ title, contentMd: 'x' }));
const logs = ({ folder }: Scene) => fs.readdirSync(folder).filter((name) => name.endsWith('.batch'));
const refused: Reaction = { status: 422, body: { code: 'c' } };

const fail = (code: string) => {
  throw Object.assign(new Error(code), { code });
};

describe('a request of a batch', () => {
  test('that is throttled is tried again and again, and its record counts all attempts', async () => {
    const scene = await startScene((_request, number) =>
      number < 6 ? { status: 429, body: {}, headers: { 'retry-after': '1' } } : 'answer',
    );
    let waits = 0;
    const batch = await begin(scene, {
      onRetry() {
        waits += 1;
      },
    });
    const { record } = await create(batch, 'a');
    batch.end();
    expect(record).toMatchObject({ state: 'applied', attempts: 6 });
    expect(await scene.history.get(record.id)).toEqual(record);
    expect(waits).toBe(5);
    expect(scene.server.received).toHaveLength(6);
  });

  test('that is refused is seen by the caller before the next is sent, which may end the batch', async () => {
    const scene = await startScene(() => refused);
    let isOver = false;
    const batch = await begin(scene, { isOver: () => isOver });
    const first = create(batch, 'a').then(({ outcome }) => {
      isOver = true;
      return outcome.kind;
    });
    const second = create(batch, 'b').then(({ outcome }) => outcome);
    expect(await first).toBe('rejected');
    expect(await second).toEqual({
      kind: 'not_sent',
      attempts: 0,
      requestId: null,
      retryAt: null,
      failure: { code: 'cancelled', message: 'the batch ended before it was sent' },
    });
    batch.end();
    expect(scene.server.received).toHaveLength(1);
  });

  test('has an id of its own, even if chance gives the same twice', async () => {
    const scene = await startScene();
    let fill = 0;
    const unlucky = openHistory({
      folder: scene.folder,
      process,
      now: () => Date.parse('2026-11-21T05:30:12.345Z'),
      randomBytes(size) {
        fill += 1;
        return Buffer.alloc(size, fill);
      },
    });
    const batch = await begin(scene, {}, unlucky);
    const done = [await create(batch, 'a'), await create(batch, 'b')];
    batch.end();
    expect(new Set(done.map(({ record }) => record.id)).size).toBe(2);
    expect((await scene.history.list()).records).toHaveLength(2);
  });
});

describe('other requests of a batch', () => {
  test('share its limit, and return what they return', async () => {
    const scene = await startScene();
    const batch = await begin(scene);
    const order: string[] = [];
    const take = (name: string) =>
      batch.inSlot(async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(`${name} ends`);
        return name;
      });
    expect(await Promise.all([take('a'), take('b')])).toEqual(['a', 'b']);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    await expect(batch.inSlot(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await take('c')).toBe('c');
    batch.end();
  });

  test('are not made once the batch is over', async () => {
    const scene = await startScene();
    const batch = await begin(scene, { isOver: () => true });
    const made: string[] = [];
    expect(await batch.inSlot(async () => made.push('a'))).toBeNull();
    expect(made).toEqual([]);
    batch.end();
  });
});

describe('while a request of a batch is on its way', () => {
  test('no other process can resume it', async () => {
    const scene = await startScene(async () => {
      const [record] = (await scene.history.list()).records;
      if (record === undefined) return refused;
      const taken = scene.reopen().acquire(lockName(record), { signal: AbortSignal.timeout(50) });
      return taken.then(
        () => refused,
        () => 'answer',
      );
    });
    const batch = await begin(scene);
    expect((await create(batch, 'a')).outcome.kind).toBe('applied');
    batch.end();
  });

  test('the batch may end: the outcome is recorded in a file of its own', async () => {
    const scene = await startScene(() => {
      batch.end();
      return 'answer';
    });
    const batch = await begin(scene);
    const { record } = await create(batch, 'a');
    expect(await scene.reopen().get(record.id)).toEqual(record);
    expect(record).toMatchObject({ state: 'applied' });
    expect(fs.existsSync(path.join(scene.folder, `${record.id}.json`))).toBe(true);
  });
});

describe('the log of a batch', () => {
  test('has the body once, and its name is on disk before a request leaves', async () => {
    const opened = new Map<number, string>();
    const synced: string[] = [];
    const openSync: FileSystem['openSync'] = (file, ...rest) => {
      const descriptor = fs.openSync(file, ...rest);
      opened.set(descriptor, String(file));
      if (String(file).endsWith('.batch')) synced.length = 0;
      return descriptor;
    };
    const fsyncSync: FileSystem['fsyncSync'] = (descriptor) => {
      fs.fsyncSync(descriptor);
      synced.push(opened.get(descriptor) ?? '');
    };
    const scene = await startScene(() => (synced.includes(scene.folder) ? 'answer' : refused));
    const batch = await begin(scene, {}, scene.reopen({ ...fs, openSync, fsyncSync }));
    expect((await create(batch, 'a')).outcome.kind).toBe('applied');
    batch.end();
    const lines = fs
      .readFileSync(path.join(scene.folder, logs(scene)[0] ?? ''), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => 'body' in JSON.parse(line))).toEqual([true, false]);
  });

  test('is gone if nothing was sent, and no lock is left', async () => {
    const scene = await startScene();
    const batch = await begin(scene, { isOver: () => true });
    expect((await create(batch, 'a')).outcome.kind).toBe('not_sent');
    batch.end();
    expect(logs(scene)).toEqual([]);
    expect(scene.lockFiles()).toEqual([]);
  });

  test('that cannot be made stops the batch, and leaves no lock', async () => {
    const scene = await startScene();
    const openSync: FileSystem['openSync'] = (file, ...rest) =>
      String(file).endsWith('.batch') ? fail('ENOSPC') : fs.openSync(file, ...rest);
    const batch = await begin(scene, {}, scene.reopen({ ...fs, openSync }));
    await expect(create(batch, 'a')).rejects.toMatchObject({ code: 'disk_full' });
    batch.end();
    expect(scene.server.received).toEqual([]);
    expect(scene.lockFiles()).toEqual([]);
  });

  test('whose lock another process took over sends nothing more', async () => {
    const scene = await startScene();
    let isHeld = true;
    const batch = await begin(scene, {
      maxAtOnce() {
        const name = isHeld ? scene.lockFiles()[0] : undefined;
        if (name !== undefined) fs.writeFileSync(path.join(scene.folder, 'locks', name), 'of another');
        isHeld = false;
        return 1;
      },
    });
    await expect(create(batch, 'a')).rejects.toMatchObject({ code: 'history_busy' });
    batch.end();
    expect(scene.server.received).toEqual([]);
  });

  test('has no trace of what a disk failed to sync, and goes on after it', async () => {
    const scene = await startScene();
    let syncs = 0;
    const fdatasync = Object.assign(
      (descriptor: number, done: fs.NoParamCallback) => {
        syncs += 1;
        if (syncs === 1) done(Object.assign(new Error('EIO'), { code: 'EIO' }));
        else fs.fdatasync(descriptor, done);
      },
      { __promisify__: fs.fdatasync.__promisify__ },
    );
    const batch = await begin(scene, {}, scene.reopen({ ...fs, fdatasync }));
    await expect(create(batch, 'a')).rejects.toMatchObject({ code: 'history_unwritable' });
    const { record } = await create(batch, 'b');
    batch.end();
    expect(await scene.history.list()).toEqual({ records: [record], problems: [] });
    expect(scene.server.received.map(({ body }) => JSON.parse(body).title)).toEqual(['b']);
  });
});
