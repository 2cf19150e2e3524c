import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../../src/base/files/files.ts';
import type { HistoryRecord } from '../../src/history/record/history-record.ts';
import {
  backup,
  type HistoryScene,
  post,
  rename,
  restore,
  safetyLabel,
  save,
  setHistoryScene,
  withKey,
} from './helpers/scene.ts';

const failWith = (code: string): never => {
  throw Object.assign(new Error(code), { code });
};

/** A disk whose writes to logs fail once `isFull` says so; locks are small and still fit. */
function fillingUp(isFull: () => boolean): FileSystem {
  const logs = new Set<number>();
  const openSync = ((file: fs.PathLike, ...rest: [fs.OpenMode, fs.Mode?]) => {
    const descriptor = fs.openSync(file, ...rest);
    if (String(file).includes('.jsonl')) logs.add(descriptor);
    else logs.delete(descriptor);
    return descriptor;
  }) as typeof fs.openSync;
  const writeSync = ((descriptor: number, ...rest: [Buffer, number?, number?, number?]) =>
    isFull() && logs.has(descriptor)
      ? failWith('ENOSPC')
      : fs.writeSync(descriptor, ...rest)) as typeof fs.writeSync;
  return { ...fs, openSync, writeSync };
}

/** A disk on which the sync with this number, from 1, of a file or folder fails. */
function failingSync(failAt: number): FileSystem {
  let syncs = 0;
  const fails = () => {
    syncs += 1;
    return syncs === failAt;
  };
  const fsyncSync = (descriptor: number) => (fails() ? failWith('EIO') : fs.fsyncSync(descriptor));
  const fdatasync = Object.assign(
    (descriptor: number, done: fs.NoParamCallback) =>
      fails() ? done(Object.assign(new Error('EIO'), { code: 'EIO' })) : fs.fdatasync(descriptor, done),
    { __promisify__: fs.fdatasync.__promisify__ },
  );
  return { ...fs, fsyncSync, fdatasync };
}

/** What a change does to the disk until its promise resolves, and when its requests arrive. */
function tracing(): { fileSystem: FileSystem; calls: string[] } {
  const calls: string[] = [];
  const names = new Map<number, string>();
  const openSync = ((file: fs.PathLike, ...rest: [fs.OpenMode, fs.Mode?]) => {
    const descriptor = fs.openSync(file, ...rest);
    names.set(descriptor, fs.fstatSync(descriptor).isDirectory() ? 'folder' : 'file');
    return descriptor;
  }) as typeof fs.openSync;
  const fsyncSync = (descriptor: number) => {
    calls.push(`sync ${names.get(descriptor)}`);
    fs.fsyncSync(descriptor);
  };
  const fdatasync = Object.assign(
    (descriptor: number, done: fs.NoParamCallback) => {
      calls.push(`sync ${names.get(descriptor)}`);
      fs.fdatasync(descriptor, done);
    },
    { __promisify__: fs.fdatasync.__promisify__ },
  );
  const renameSync = (from: fs.PathLike, to: fs.PathLike) => {
    calls.push('rename');
    fs.renameSync(from, to);
  };
  return { fileSystem: { ...fs, openSync, fsyncSync, fdatasync, renameSync }, calls };
}

describe('what a change costs the disk', () => {
  const begin = ['sync file', 'rename', 'sync folder'];

  test.each([
    ['a backup', backup],
    ['an update', rename('A')],
    ['a post', post],
  ])(
    '%s: three syncs and one rename before it is reported, no sync after it; its record is on disk before the request arrives',
    async (_, request) => {
      const { fileSystem, calls } = tracing();
      const scene = await setHistoryScene(() => {
        calls.push('request');
        return 'answer';
      });
      await scene.change({ ...backup, body: { label: 'makes the folders', sections: ['blog'] } });
      calls.length = 0;
      const history = scene.open(fileSystem);
      await scene.begin(history, request);
      expect(calls).toEqual([...begin, 'request', 'sync file']);
      calls.length = 0;
      await history.end();
      expect(calls).toEqual(['rename']);
    },
  );

  test('the first change in a folder that a killed process has made puts the names of its parents on disk', async () => {
    const { fileSystem, calls } = tracing();
    const scene = await setHistoryScene(() => 'answer');

    await scene.begin(scene.open(fileSystem), backup);

    expect(calls.indexOf('sync folder')).toBeLessThan(calls.indexOf('rename'));
  });

  test('a restore with its safety backup: two syncs more, in the same log', async () => {
    const { fileSystem, calls } = tracing();
    const scene = await setHistoryScene(() => {
      calls.push('request');
      return 'answer';
    });
    await scene.change(backup);
    calls.length = 0;
    const history = scene.open(fileSystem);
    await scene.begin(history, restore, { safetyLabel });
    await history.end();
    const reported = calls.lastIndexOf('request') + 2;
    expect(calls.slice(0, reported)).toEqual([
      ...begin,
      ...['request', 'sync file'],
      ...['sync file', 'request', 'sync file'],
    ]);
    expect(scene.files()).toHaveLength(2);
  });
});

describe('a disk that is full', () => {
  test('from the start: nothing is sent, and no log or lock is left', async () => {
    const scene = await setHistoryScene();
    await expect(scene.change(backup, { fileSystem: fillingUp(() => true) })).rejects.toMatchObject({
      code: 'disk_full',
    });
    expect(scene.server.received).toEqual([]);
    expect(scene.files()).toEqual([]);
    expect(scene.locks()).toEqual([]);
  });

  test('when the response comes: it is handed on, and the record stays open', async () => {
    let isFull = false;
    const scene = await setHistoryScene(() => {
      isFull = true;
      return 'answer';
    });
    const changed = await scene.change(post, { fileSystem: fillingUp(() => isFull) });
    expect(changed).toMatchObject({
      outcome: { kind: 'applied', body: { id: 'made-1' } },
      recordingError: { code: 'disk_full' },
    });
    expect(scene.records()).toMatchObject([{ state: 'sent', open: true }]);
  });

  test('before another attempt: nothing more is sent, and the outcome is unknown', async () => {
    let isFull = false;
    const scene = await setHistoryScene(() => {
      isFull = true;
      return 'drop';
    });
    const changed = await scene.change(backup, { fileSystem: fillingUp(() => isFull) });
    expect(changed.outcome).toMatchObject({ kind: 'unknown', attempts: 1 });
    expect(scene.server.received).toHaveLength(1);
    expect(scene.records()).toMatchObject([{ open: true }]);
    expect(await scene.resume(changed.record.id)).toMatchObject({ action: 'sent' });
  });

  test('before an open change is sent again: nothing is sent', async () => {
    const scene = await setHistoryScene(() => 'drop');
    const { record } = await scene.change(backup);
    scene.server.clear();
    await expect(scene.resume(record.id, { fileSystem: fillingUp(() => true) })).rejects.toMatchObject({
      code: 'disk_full',
    });
    expect(scene.server.received).toEqual([]);
  });

  test('between the safety backup and the restore: the backup is reported, and nothing is restored', async () => {
    let isFull = false;
    const scene = await setHistoryScene();
    const client = scene.clientThat(async (outcome) => {
      isFull = true;
      return outcome;
    });
    const fileSystem = fillingUp(() => isFull);
    const { safetyBackup } = await scene.changeWithoutBackup(restore, { safetyLabel, client, fileSystem });
    expect(safetyBackup).toMatchObject({
      outcome: { kind: 'applied' },
      recordingError: { code: 'disk_full' },
      record: { operation: 'backup.create' },
    });
    expect(scene.server.received.map(({ path: to }) => to.split('/').at(-1))).toEqual(['backups']);
  });

  test('before a restore in doubt is sent again, after its safety backup: the backup is reported', async () => {
    const scene = await setHistoryScene(({ path: to }) => (to.endsWith('/restore') ? 'drop' : 'answer'));
    const { record } = await scene.change(withKey(restore), { safetyLabel });
    const isTaken = ({ safetyBackupFor, state }: HistoryRecord) =>
      safetyBackupFor !== null && state === 'applied';
    const fileSystem = fillingUp(() => scene.records().filter(isTaken).length === 2);
    expect(await scene.changeWithoutBackup(withKey(restore), { safetyLabel, fileSystem })).toMatchObject({
      safetyBackup: { outcome: { kind: 'applied' }, recordingError: { code: 'disk_full' } },
      inDoubt: { id: record.id },
    });
  });

  test('after a restore in doubt was sent again and answered: it is called applied, and stays open', async () => {
    const scene = await setHistoryScene(({ path: to }) => (to.endsWith('/restore') ? 'drop' : 'answer'));
    const { record } = await scene.change(restore, { safetyLabel });
    let isFull = false;
    const headers = { 'idempotency-replayed': 'true' };
    scene.react = ({ path: to }) => {
      isFull = to.endsWith('/restore');
      return isFull ? { status: 201, body: { preRestoreBackupId: 'before' }, headers } : 'answer';
    };
    const fileSystem = fillingUp(() => isFull);
    expect(await scene.resume(record.id, { isConfirmed: true, safetyLabel, fileSystem })).toMatchObject({
      action: 'sent',
      outcome: { kind: 'applied' },
      recordingError: { code: 'disk_full' },
    });
    isFull = false;
    const [, left] = scene.records();
    expect(left).toMatchObject({ id: record.id, open: true, safetyBackupId: record.safetyBackupId });
  });
});

test('a log that cannot be closed is no failure of the change, and is not held any more', async () => {
  const scene = await setHistoryScene();
  const logs = new Set<number>();
  const fileSystem: FileSystem = {
    ...fs,
    openSync(file, ...more) {
      const descriptor = fs.openSync(file, ...more);
      if (String(file).endsWith('.open.jsonl')) logs.add(descriptor);
      return descriptor;
    },
    closeSync(descriptor) {
      fs.closeSync(descriptor);
      if (logs.delete(descriptor)) throw Object.assign(new Error('EIO: i/o error, close'), { code: 'EIO' });
    },
  };
  const { record } = await scene.change(post, { fileSystem });
  expect(record.state).toBe('applied');
  expect(scene.locks()).toEqual([]);
});

describe('a sync that fails', () => {
  test.each([
    [1, 0],
    [2, 0],
    [3, 1],
  ])('the %ith: %i requests were sent, and nothing more is sent from that log', async (failAt, requests) => {
    const scene = await setHistoryScene();
    await scene.change({ ...backup, body: { label: 'makes the folders', sections: ['blog'] } });
    scene.server.clear();
    const changed = scene.change(post, { fileSystem: failingSync(failAt) });
    if (requests === 0) await expect(changed).rejects.toMatchObject({ code: 'history_unwritable' });
    else expect((await changed).recordingError).toMatchObject({ code: 'history_unwritable' });
    expect(scene.server.received).toHaveLength(requests);
    expect(scene.records().filter(({ open }) => open)).toHaveLength(requests);
  });
});

describe('the lock of a log that another process took over', () => {
  test('before anything was sent: nothing is sent, and the record is left to the other', async () => {
    const scene = await setHistoryScene();
    const client = scene.clientThat(
      async (outcome) => outcome,
      () => loseLock(scene),
    );
    await expect(scene.change(backup, { client })).rejects.toMatchObject({ code: 'lock_lost' });
    expect(scene.server.received).toEqual([]);
    expect(scene.records()).toMatchObject([{ state: 'sent', open: true }]);
  });

  test('between two attempts: nothing more is sent, and the outcome is unknown', async () => {
    const scene = await setHistoryScene(() => {
      loseLock(scene);
      return 'drop';
    });
    const { outcome } = await scene.change(backup);
    expect(outcome).toMatchObject({ kind: 'unknown', attempts: 1, failure: { code: 'cancelled' } });
    expect(scene.server.received).toHaveLength(1);
    expect(scene.records()).toMatchObject([{ state: 'sent', open: true }]);
  });
});

/** As after a laptop's sleep. */
function loseLock(scene: HistoryScene): void {
  for (const name of scene.locks()) {
    fs.writeFileSync(path.join(scene.folder, 'locks', name), '{"nonce":"of another"}');
  }
}

describe('the API key', () => {
  const leak = (request: typeof post) => ({
    ...request,
    body: { ...request.body, contentMd: 'my sk_secret_key' },
  });

  test('in a request is refused before anything is written', async () => {
    const scene = await setHistoryScene();
    await expect(scene.change(leak(post))).rejects.toMatchObject({ code: 'secret_in_record' });
    expect(scene.files()).toEqual([]);
    expect(scene.server.received).toEqual([]);
  });

  test('in a restore is refused before its safety backup is taken', async () => {
    const scene = await setHistoryScene();
    const leaking = { ...restore, body: { sections: ['store'], note: 'sk_secret_key' } };
    await expect(scene.change(leaking, { safetyLabel })).rejects.toMatchObject({ code: 'secret_in_record' });
    expect(scene.files()).toEqual([]);
    expect(scene.server.received).toEqual([]);
  });

  test.each([
    ['its path', { ...post, operation: { ...post.operation, path: '/sk_secret_key' } }],
    ['its ETag', { ...save, ifMatch: '"sk_secret_key"' }],
  ])('in %s is refused', async (_where, leaking) => {
    const scene = await setHistoryScene();
    await expect(scene.change(leaking)).rejects.toMatchObject({ code: 'secret_in_record' });
    expect(scene.files()).toEqual([]);
  });

  test('in what a change replaces is refused', async () => {
    const scene = await setHistoryScene();
    const leaking = { ...rename('A'), replaced: { name: 'sk_secret_key' } };
    await expect(scene.change(leaking)).rejects.toMatchObject({ code: 'secret_in_record' });
    expect(scene.files()).toEqual([]);
  });
});
