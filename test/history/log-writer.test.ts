import * as fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { writeTogether } from '../../src/history/batch/log-writer.ts';
import type { FileSystem } from '../../src/history/files/files.ts';
import { temporaryFolder } from '../helpers/cli.ts';
import { signalled } from './helpers/scene.ts';

let file: string;

beforeEach(() => {
  file = path.join(temporaryFolder(), 'log');
});

/** The writer of a new log, on a disk where some calls behave differently. */
function startWriter(different: Partial<FileSystem> = {}) {
  const fileSystem = { ...fs, ...different };
  const descriptor = fs.openSync(file, 'wx');
  return { ...writeTogether(file, descriptor, { fileSystem, platform: process.platform }), descriptor };
}

const text = () => fs.readFileSync(file, 'utf8').trimEnd();
const outcomeOf = (added: Promise<void>) =>
  added.then(
    () => 'on disk',
    (error) => error.code,
  );

function failWith(code: string): never {
  throw Object.assign(new Error(code), { code });
}

/** A disk whose syncs end when the test says so. `texts` has what was written when each began. */
function slowDisk() {
  const texts: string[] = [];
  const ends: fs.NoParamCallback[] = [];
  let begun = signalled();
  const fdatasync = (_descriptor: number, callback: fs.NoParamCallback) => {
    texts.push(text());
    ends.push(callback);
    begun.give();
    begun = signalled();
  };
  return {
    texts,
    different: { fdatasync: fdatasync as typeof fs.fdatasync },
    begins: () => begun.done,
    end: (error: NodeJS.ErrnoException | null = null) => ends.shift()?.(error),
  };
}

describe('lines of the log of a batch', () => {
  test('that are added together share a sync, and so do those that are added during it', async () => {
    const disk = slowDisk();
    const { add } = startWriter(disk.different);
    const first = [add('a\n', false), add('b\n', false)];
    await disk.begins();
    const second = [add('c\n', true), add('d\n', false)];
    let isSecondWritten = false;
    void second[1]?.then(() => {
      isSecondWritten = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(disk.texts).toEqual(['a\nb']);
    const next = disk.begins();
    disk.end();
    await Promise.all(first);
    await next;
    expect(isSecondWritten).toBe(false);
    disk.end();
    await Promise.all(second);
    expect(disk.texts).toEqual(['a\nb', 'a\nb\nc\nd']);
  });

  test('that can wait are written with the next one, and at last without any', async () => {
    const disk = slowDisk();
    const { add } = startWriter(disk.different);
    const both = [add('a\n', true), add('b\n', false)];
    await disk.begins();
    disk.end();
    await Promise.all(both);
    const alone = add('c\n', true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(disk.texts).toEqual(['a\nb']);
    await disk.begins();
    disk.end();
    await alone;
    expect(disk.texts).toEqual(['a\nb', 'a\nb\nc']);
  });

  test('are on disk whole where a disk takes a few bytes at a time, in any letters', async () => {
    const writeSync = (descriptor: number, bytes: Buffer, from: number, length: number, at: number) => {
      // As Node does.
      if (from + length > bytes.length) throw new RangeError('length');
      return fs.writeSync(descriptor, bytes, from, Math.min(length, 7), at);
    };
    const { add, close } = startWriter({ writeSync: writeSync as typeof fs.writeSync });
    await Promise.all(['ünïcödé and more\n', '日本語日本語\n'].map((line) => add(line, false)));
    await add('last\n', false);
    close();
    expect(fs.readFileSync(file, 'utf8')).toBe('ünïcödé and more\n日本語日本語\nlast\n');
  });

  test('overwrite blanks, so that the file does not grow with each, and the blanks that are left go in the end', async () => {
    const { add, close } = startWriter();
    await add('a\n', false);
    const { size } = fs.statSync(file);
    expect(size).toBeGreaterThan(100_000);
    await add('b'.repeat(1_000), false);
    expect(fs.statSync(file).size).toBe(size);
    await add('c'.repeat(size), false);
    expect(fs.statSync(file).size).toBeGreaterThan(size * 2);
    await add('\nd\n', false);
    close();
    expect(fs.readFileSync(file, 'utf8')).toBe(`a\n${'b'.repeat(1_000)}${'c'.repeat(size)}\nd\n`);
  });

  test.each<[string, Partial<FileSystem>, string]>([
    ['', {}, ''],
    [', even if it cannot be shortened', { ftruncateSync: () => failWith('EIO') }, 'cond\n'],
  ])('that a disk failed to sync are replaced by the next%s', async (_what, different, rest) => {
    const disk = slowDisk();
    const { add } = startWriter({ ...disk.different, ...different });
    const first = add('first and second\n', false);
    await disk.begins();
    const second = add('on disk now\n', false);
    const next = disk.begins();
    disk.end(Object.assign(new Error('input/output error'), { code: 'EIO' }));
    expect(await outcomeOf(first)).toBe('history_unwritable');
    await next;
    disk.end();
    expect(await outcomeOf(second)).toBe('on disk');
    expect(fs.readFileSync(file, 'utf8').trimEnd()).toBe(`on disk now\n${rest}`.trimEnd());
  });

  test('are refused while the disk is full, and taken when it has room again', async () => {
    let isFull = true;
    const writeSync = (descriptor: number, bytes: Buffer, from: number, length: number, at: number) =>
      isFull ? failWith('ENOSPC') : fs.writeSync(descriptor, bytes, from, length, at);
    const { add, close } = startWriter({ writeSync: writeSync as typeof fs.writeSync });
    expect(await outcomeOf(add('a\n', false))).toBe('disk_full');
    isFull = false;
    expect(await outcomeOf(add('b\n', false))).toBe('on disk');
    close();
    expect(fs.readFileSync(file, 'utf8')).toBe('b\n');
  });

  test('are refused once the file was removed, unless the file system never counted its links', async () => {
    const { add } = startWriter();
    await add('a\n', false);
    fs.rmSync(file);
    expect(await outcomeOf(add('b\n', false))).toBe('history_unwritable');

    const fstatSync = ((descriptor: number) =>
      Object.assign(fs.fstatSync(descriptor), { nlink: 0 })) as typeof fs.fstatSync;
    expect(await outcomeOf(startWriter({ fstatSync }).add('a\n', false))).toBe('on disk');
  });

  test('stay when the file cannot be shortened in the end, and the file is closed', async () => {
    const { add, close, descriptor } = startWriter({ ftruncateSync: () => failWith('EIO') });
    await add('a\n', false);
    close();
    expect(text()).toBe('a');
    expect(() => fs.fstatSync(descriptor)).toThrow('EBADF');
  });
});
