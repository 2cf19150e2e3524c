import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import type { FileSystem } from '../../src/base/files/files.ts';
import type { ProcessFacts } from '../../src/base/files/process-identity.ts';

/** A process that has ended, as far as others can see. */
export function deadProcess(): ProcessFacts {
  return { pid: spawnSync('true').pid, platform: process.platform, kill: process.kill };
}

/** The calls that change something on the disk, or sync it. */
const changing = new Set<string>([
  'closeSync',
  'fdatasync',
  'fsyncSync',
  'ftruncateSync',
  'linkSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'unlinkSync',
  'writeSync',
]);

export interface KillableDisk {
  readonly fileSystem: FileSystem;
  /** The calls so far that change something. */
  readonly calls: string[];
  /** Leaves of the folder what is certainly on the disk. With `keepsNames`, the disk has written names that were not synced. */
  cutPower(folder: string, options: { keepsNames: boolean }): void;
}

/**
 * The real disk, seen by a process that is killed before its n-th call that changes something. What is in `folder` already is
 * on the disk.
 */
export function killableDisk(killAt: number, folder?: string): KillableDisk {
  const calls: string[] = [];
  const paths = new Map<number, string>();
  const contents = new Map<number, Buffer>();
  const names = new Map<string, Map<string, number>>();
  const inode = (file: string) => fs.lstatSync(file).ino;
  const filesIn = (folder: string) =>
    fs
      .readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);

  function synced(descriptor: number): void {
    const file = paths.get(descriptor) ?? '';
    if (fs.statSync(file).isFile()) contents.set(inode(file), fs.readFileSync(file));
    else names.set(file, new Map(filesIn(file).map((name) => [name, inode(path.join(file, name))])));
  }

  if (folder !== undefined) {
    names.set(folder, new Map(filesIn(folder).map((name) => [name, inode(path.join(folder, name))])));
    for (const [name, file] of names.get(folder) ?? [])
      contents.set(file, fs.readFileSync(path.join(folder, name)));
  }

  const after: Partial<Record<string, (args: unknown[], result: unknown) => void>> = {
    openSync([file, flags], descriptor) {
      paths.set(descriptor as number, file as string);
      if (typeof flags === 'number' && flags & fs.constants.O_CREAT) contents.delete(inode(file as string));
    },
    fsyncSync: ([descriptor]) => synced(descriptor as number),
    renameSync([from, to]) {
      for (const [descriptor, file] of paths) if (file === from) paths.set(descriptor, to as string);
    },
  };

  const wrap =
    (name: string, call: (...args: unknown[]) => unknown) =>
    (...given: unknown[]) => {
      const args = [...given];
      if (changing.has(name)) calls.push(name);
      if (calls.length >= killAt) throw Object.assign(new Error('killed'), { code: 'KILLED' });
      if (name === 'fdatasync') {
        const done = args[1] as (error: Error | null) => void;
        args[1] = (error: Error | null) => {
          if (error === null) synced(args[0] as number);
          done(error);
        };
      }
      const result = call(...args);
      after[name]?.(args, result);
      return result;
    };
  const entries = Object.entries(fs).filter(([, value]) => typeof value === 'function');
  const wrapped = entries.map(([name, call]) => [name, wrap(name, call as (...args: unknown[]) => unknown)]);

  return {
    fileSystem: Object.fromEntries(wrapped) as FileSystem,
    calls,
    cutPower(folder, { keepsNames }) {
      const now = new Map(filesIn(folder).map((name) => [name, inode(path.join(folder, name))]));
      const left = keepsNames ? now : (names.get(folder) ?? new Map<string, number>());
      const texts = [...left].map(([name, file]) => [name, contents.get(file) ?? Buffer.alloc(0)] as const);
      for (const name of now.keys()) fs.rmSync(path.join(folder, name));
      for (const [name, content] of texts) fs.writeFileSync(path.join(folder, name), content);
    },
  };
}

/** The real disk, which takes no more bytes at a time than it has room for. `room` may throw. */
export function takingAtMost(room: () => number, took: (count: number) => void = () => {}): FileSystem {
  const writeSync = (
    descriptor: number,
    bytes: Buffer,
    from = 0,
    length = bytes.length - from,
    at: number | null = null,
  ) => {
    const count = fs.writeSync(descriptor, bytes, from, Math.min(length, room()), at);
    took(count);
    return count;
  };
  return { ...fs, writeSync: writeSync as unknown as typeof fs.writeSync };
}

export function failWith(code: string): never {
  throw Object.assign(new Error(code), { code });
}
