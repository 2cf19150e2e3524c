import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { createBlogPost } from '../../src/contract/operations/blog.ts';
import { rawOperationId } from '../../src/history/records/record.ts';
import { backup, decision, post, type Scene, signalled, startScene } from './helpers/scene.ts';

const noSpace = () => {
  throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
};

/** A file system on which there is no more room for records once `isFull` says so. */
function fillingUp(isFull: () => boolean): typeof fs {
  const isNew = (file: fs.PathLike, flags: fs.OpenMode) =>
    (Number(flags) & fs.constants.O_CREAT) !== 0 && !String(file).includes('locks');
  const openSync: typeof fs.openSync = (file, flags, mode) =>
    isFull() && isNew(file, flags) ? noSpace() : fs.openSync(file, flags, mode);
  return { ...fs, openSync };
}

/** Another process takes over the only lock of a record, as after a laptop's sleep. */
function loseRecordLock(scene: Scene): void {
  for (const name of scene.lockFiles()) {
    fs.writeFileSync(path.join(scene.folder, 'locks', name), '{"nonce":"of another"}');
  }
}

describe('an answer that cannot be recorded', () => {
  test('is not lost: it is returned with a warning, and the record stays open', async () => {
    let isFull = false;
    const scene = await startScene(() => {
      isFull = true;
      return 'answer';
    });
    const performed = await scene.perform({ ...post, history: scene.reopen(fillingUp(() => isFull)) });
    expect(performed).toMatchObject({
      isRecorded: true,
      outcome: { kind: 'applied', body: { id: 'made-1' } },
      warnings: [expect.stringMatching(/^The outcome could not be recorded: cannot write .*no space left/)],
    });
    expect(await scene.history.get(performed.record.id)).toMatchObject({ state: 'sent' });
  });

  test('of a record that somebody removed: it names no record that resume could find', async () => {
    let isFull = false;
    const scene = await startScene(() => {
      isFull = true;
      for (const name of fs.readdirSync(scene.folder).filter((entry) => entry.endsWith('.json'))) {
        fs.rmSync(path.join(scene.folder, name));
      }
      return 'drop';
    });
    const performed = await scene.perform({ ...post, history: scene.reopen(fillingUp(() => isFull)) });
    expect(performed).toMatchObject({ isRecorded: false, outcome: { kind: 'unknown' } });
  });
});

describe('a lock that was lost to another process', () => {
  test('before anything was sent: nothing is sent, and the record is left to the other', async () => {
    const scene = await startScene();
    const client: Client = {
      ...scene.client,
      send(...request) {
        loseRecordLock(scene);
        return scene.client.send(...request);
      },
    };
    await expect(scene.perform({ ...backup, client })).rejects.toMatchObject({ code: 'history_busy' });
    expect(scene.server.received).toEqual([]);
    expect((await scene.history.list({ state: 'prepared' })).records).toHaveLength(1);
  });

  test('between two attempts: nothing more is sent, and the outcome is unknown', async () => {
    const scene = await startScene(() => {
      loseRecordLock(scene);
      return 'drop';
    });
    const { outcome, record } = await scene.perform(backup);
    expect(outcome).toEqual({
      kind: 'unknown',
      attempts: 1,
      requestId: null,
      status: null,
      problem: null,
      retryAt: null,
      failure: { code: 'cancelled', message: expect.stringContaining('lost the lock') },
    });
    expect(scene.server.received).toHaveLength(1);
    expect(await scene.history.get(record.id)).toMatchObject({ state: 'unknown', attempts: 1 });
  });
});

describe('a disk that fills up while a request is tried again', () => {
  test('does not end it: the record says already that it was sent', async () => {
    let isFull = false;
    const scene = await startScene((_request, number) => {
      isFull = true;
      return number === 1 ? 'drop' : 'answer';
    });
    const history = scene.reopen(fillingUp(() => isFull));
    const { outcome } = await scene.perform({ ...backup, history });
    expect(outcome).toMatchObject({ kind: 'applied', attempts: 2 });
    expect(scene.server.effects).toEqual(['made-1']);
  });

  test('nor one that an earlier run left in doubt', async () => {
    const scene = await startScene(() => 'drop');
    const { record } = await scene.perform(backup);
    scene.react = () => 'answer';
    const resumed = await scene.resume(record.id, { history: scene.reopen(fillingUp(() => true)) });
    expect(resumed).toMatchObject({ outcome: { kind: 'applied' } });
  });
});

describe('what a request outside of the contract gets', () => {
  const raw: Operation = { ...createBlogPost, id: rawOperationId, path: '/v1/anything' };

  test.each(['"done"', '', 'OK', '{"id":7}'])('is its answer, whatever it is: %j', async (text) => {
    const scene = await startScene(() => ({ status: 200, text }));
    const { outcome, record } = await scene.perform({ operation: raw, body: { a: 1 } });
    expect(outcome).toMatchObject({ kind: 'applied', text, drift: [] });
    expect(record).toMatchObject({ state: 'applied', answer: { body: text, settledByReading: false } });
    const { body } = outcome.kind === 'applied' ? outcome : { body: undefined };
    expect(await scene.resume(record.id)).toMatchObject({ action: 'finished', outcome: { text, body } });
  });

  test('an operation of the contract is in doubt after such a text, and a drift is told', async () => {
    const scene = await startScene(() => ({ status: 200, text: 'OK' }));
    expect((await scene.perform(post)).outcome).toMatchObject({ kind: 'unknown' });
    scene.react = () => ({ status: 201, body: { id: 7 } });
    const { outcome } = await scene.perform(post);
    expect(outcome).toMatchObject({ kind: 'applied', drift: [expect.stringContaining('id')] });
  });
});

describe('cancelled by the user', () => {
  test('while a decision is under way: nothing else is sent, not even to read it', async () => {
    const cancel = new AbortController();
    const scene = await startScene(() => {
      cancel.abort();
      return 'drop';
    });
    const { outcome } = await scene.perform({ ...decision, signal: cancel.signal });
    expect(outcome).toMatchObject({ kind: 'unknown' });
    expect(scene.methods()).toEqual(['POST']);
  });

  test('while another command begins the same operation: ends without waiting for it', async () => {
    const scene = await startScene();
    const { done: begins, give: begun } = signalled();
    const { done: mayEnd, give: end } = signalled();
    const first = scene.perform({
      ...post,
      check: async () => {
        begun();
        await mayEnd;
      },
    });
    await begins;
    const cancel = new AbortController();
    const second = scene.perform({ ...post, signal: cancel.signal });
    cancel.abort();
    await expect(second).rejects.toMatchObject({ code: 'history_busy' });
    end();
    expect((await first).outcome.kind).toBe('applied');
    expect(scene.server.received).toHaveLength(1);
  });
});

test('a record that cannot be begun leaves no lock behind', async () => {
  const scene = await startScene();
  let isFull = false;
  const check = async () => {
    isFull = true;
  };
  const history = scene.reopen(fillingUp(() => isFull));
  await expect(scene.perform({ ...post, check, history })).rejects.toMatchObject({ code: 'disk_full' });
  expect(scene.lockFiles()).toEqual([]);
});

test('one-shot changes in doubt after a 503 keep what it said, and that it was its own answer', async () => {
  const scene = await startScene(({ method }) =>
    method === 'GET'
      ? { status: 200, body: { record: { id: 'd-1', status: 'open' }, evidence: [] } }
      : { status: 503, body: { code: 'overloaded' } },
  );
  const { record, warnings } = await scene.perform(decision);
  expect(record).toMatchObject({
    state: 'unknown',
    answer: { status: 503, settledByReading: false, problem: { code: 'overloaded' } },
  });
  expect(warnings).toEqual([expect.stringContaining('The dispute is still open')]);
  scene.react = () => 'drop';
  expect((await scene.perform(post)).warnings).toEqual([]);
});
