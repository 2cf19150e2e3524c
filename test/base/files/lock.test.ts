import { once } from 'node:events';
import * as fs from 'node:fs';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { monotonicMs } from '../../../src/base/clock.ts';
import type { FileSystem } from '../../../src/base/files/files.ts';
import { readMachine } from '../../../src/base/files/process-identity.ts';
import { sha256 } from '../../../src/base/sha256.ts';
import { failWith } from '../../helpers/broken-disk.ts';
import { buildChildren, type Child, type Children } from '../../helpers/children.ts';
import type { ChildTask } from './child.ts';
import { openLocksIn, type TestLocksOptions } from './locks.ts';

let children: Children<ChildTask>;
let root: string;
let folder: string;
let count = 0;

beforeAll(async () => {
  children = await buildChildren(path.join(import.meta.dirname, 'child.ts'));
  root = mkdtempSync(path.join(tmpdir(), 'storectl-lock-'));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

beforeEach(() => {
  count += 1;
  folder = path.join(root, String(count));
});

afterAll(() => {
  children.remove();
  rmSync(root, { recursive: true, force: true });
});

/** The locks of the test, as another process finds them. */
const openLocks = (options: TestLocksOptions = {}) => openLocksIn(folder, options);

async function startHolder(name: string, platform = process.platform): Promise<Child> {
  const child = children.start({ does: 'hold', folder, name, platform });
  if (child.process.stdout !== null) await once(child.process.stdout, 'data');
  return child;
}

const lockFiles = () => readdirSync(folder);

test('20 processes at once never hold the lock together', async () => {
  const file = path.join(root, 'counter');
  writeFileSync(file, '0');
  const counters = Array.from({ length: 20 }, () =>
    children.start({ does: 'count', folder, file, times: 10 }),
  );
  for (const { ended } of counters) expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe('200');
  expect(lockFiles()).toEqual([]);
});

test('processes never hold it together while holders are killed', async () => {
  const file = path.join(root, 'counter-killed');
  writeFileSync(file, '0');
  const counters = Array.from({ length: 6 }, () =>
    children.start({ does: 'count', folder, file, times: 10 }),
  );
  for (let round = 0; round < 5; round += 1) {
    const holder = await startHolder('counter');
    holder.process.kill('SIGKILL');
  }
  for (const { ended } of counters) expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe('60');
});

test('a lock is free as soon as its holder is killed, for one of those who wait', async () => {
  const holder = await startHolder('L');
  const all = Array.from({ length: 5 }, () => openLocks());
  const waitsFor: unknown[] = [];
  let inside = 0;
  let most = 0;
  const waiters = all.map(async (locks) => {
    const lock = await locks.acquire('L', { onWait: (who) => waitsFor.push(who?.pid) });
    inside += 1;
    most = Math.max(most, inside);
    await sleep(5);
    inside -= 1;
    lock.release();
  });
  while (waitsFor.length < 5) await sleep(5);
  expect(waitsFor).toEqual(Array.from({ length: 5 }, () => holder.process.pid));
  holder.process.kill('SIGKILL');
  await Promise.all(waiters);
  expect(most).toBe(1);
  expect(lockFiles()).toEqual([]);
});

/** What this machine is as a process of another system sees it. */
const onPlatform = (platform: NodeJS.Platform) => ({
  pid: process.pid,
  platform,
  kill: process.kill.bind(process),
});

test.each<[string, NodeJS.Platform]>([
  ['Linux, which tells start times', 'linux'],
  ['macOS, where ps tells them', 'darwin'],
  ['a system that does not tell them', 'freebsd'],
])('a holder that is only stopped keeps its lock, on %s', async (_, platform) => {
  const holder = await startHolder('L', platform);
  holder.process.kill('SIGSTOP');
  const locks = openLocks({ silenceMs: 50, process: onPlatform(platform) });
  await expect(locks.acquire('L', { signal: AbortSignal.timeout(400) })).rejects.toMatchObject({
    kind: 'busy',
    message: expect.stringContaining(`process ${holder.process.pid}`),
  });
  holder.process.kill('SIGKILL');
  (await locks.acquire('L')).release();
});

test('macOS: a pid that was given to another process does not keep the lock of the one that had it', async () => {
  const lock = await openLocks({ process: onPlatform('darwin') }).acquire('L');
  const file = path.join(folder, lockFiles()[0] ?? '');
  const { startTime, ...holder } = JSON.parse(readFileSync(file, 'utf8'));
  expect(startTime).toMatch(/^\w{3} \w{3} .* 20\d\d$/);
  lock.release();
  writeFileSync(file, JSON.stringify({ ...holder, startTime: 'Mon Jan  1 00:00:00 2024' }));
  (await openLocks({ process: onPlatform('darwin') }).acquire('L')).release();
});

test('waiting for a lock ends after its timeout', async () => {
  const holder = await startHolder('L');
  const locks = openLocks({ timeoutMs: 100 });
  await expect(locks.acquire('L')).rejects.toMatchObject({
    kind: 'busy',
    message: expect.stringContaining(`process ${holder.process.pid}`),
  });
  holder.process.kill('SIGKILL');
  (await openLocks().acquire('L')).release();
});

test('other names are other locks', async () => {
  const locks = openLocks();
  const first = await locks.acquire('a');
  const second = await locks.acquire('b');
  first.release();
  second.release();
  expect(lockFiles()).toEqual([]);
});

describe('a holder that cannot be judged from here', () => {
  /** Lets another machine, as far as anyone can tell, hold the lock. */
  async function lockFromElsewhere(): Promise<string> {
    await openLocks().acquire('L');
    const file = path.join(folder, lockFiles()[0] ?? '');
    const holder = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...holder, nonce: 'elsewhere', bootId: 'elsewhere', host: 'far' }));
    return file;
  }

  /** Ten times as fast as the real one, and ahead of it. */
  function quickClock(): { ahead: number } {
    const clock = { ahead: 0 };
    const real = process.hrtime.bigint.bind(process.hrtime);
    vi.spyOn(process.hrtime, 'bigint').mockImplementation(
      () => real() * 10n + BigInt(clock.ahead) * 1_000_000n,
    );
    return clock;
  }

  const busyOnFar = { kind: 'busy', message: expect.stringContaining('on far') };

  test('keeps its lock while its heart beats, and loses it when it has been still for long', async () => {
    quickClock();
    const file = await lockFromElsewhere();
    const locks = openLocks({ silenceMs: 3_000, timeoutMs: 3_600_000 });
    const beat = setInterval(() => fs.utimesSync(file, new Date(), new Date()), 20);
    await expect(locks.acquire('L', { signal: AbortSignal.timeout(600) })).rejects.toMatchObject(busyOnFar);
    clearInterval(beat);
    const before = monotonicMs();
    (await locks.acquire('L')).release();
    expect(monotonicMs() - before).toBeGreaterThan(2_990);
  });

  test('keeps its lock while the machine of the one that waits sleeps', async () => {
    await lockFromElsewhere();
    const clock = quickClock();
    const locks = openLocks({ silenceMs: 60_000, timeoutMs: 36_000_000 });
    const sleeps = () => {
      clock.ahead += 3_600_000;
    };
    await expect(
      locks.acquire('L', { signal: AbortSignal.timeout(300), onWait: sleeps }),
    ).rejects.toMatchObject(busyOnFar);
  });

  test('a lock file that a power cut has emptied is treated alike', async () => {
    writeFileSync(await lockFromElsewhere(), '');
    const locks = openLocks({ silenceMs: 200 });
    const before = performance.now();
    (await locks.acquire('L')).release();
    expect(performance.now() - before).toBeGreaterThan(190);
  });

  test('holds its lock for those who do not wait while its heart has beaten lately', async () => {
    const file = await lockFromElsewhere();
    const locks = openLocks();
    expect(locks.isHeld('L')).toBe(true);
    const longAgo = new Date(Date.now() - 60_000);
    fs.utimesSync(file, longAgo, longAgo);
    expect(locks.isHeld('L')).toBe(false);
  });

  test('one that was stopped for long does not trust its file while another is about to take the lock', async () => {
    const clock = quickClock();
    const lock = await openLocks().acquire('L');
    const file = path.join(folder, lockFiles()[0] ?? '');
    const text = readFileSync(file, 'utf8');
    const breaker = path.join(folder, `${sha256(text).slice(0, 32)}.break`);
    clock.ahead += 3_600_000;
    // Nobody is about to take it: it goes on.
    lock.assertHeld();
    lock.assertHeld();
    writeFileSync(breaker, JSON.stringify({ ...dead, nonce: 'breaker', bootId: 'elsewhere' }));
    lock.assertHeld();
    clock.ahead += 3_600_000;
    expect(() => lock.assertHeld()).toThrow(expect.objectContaining({ kind: 'lost' }));
    rmSync(breaker);
    lock.release();
    expect(lockFiles()).toEqual([]);
  });

  test('one that wakes up in time keeps its lock, although another was about to take it', async () => {
    quickClock();
    const file = await lockFromElsewhere();
    let isAwake = false;
    const linkSync: typeof fs.linkSync = (from, to) => {
      fs.linkSync(from, to);
      if (!String(to).endsWith('.break')) return;
      isAwake = true;
      fs.utimesSync(file, new Date(), new Date());
    };
    const locks = openLocks({
      fileSystem: { ...fs, linkSync },
      silenceMs: 1_000,
      timeoutMs: 3_600_000,
    });
    const beat = setInterval(() => {
      if (isAwake) fs.utimesSync(file, new Date(), new Date());
    }, 10);
    await expect(locks.acquire('L', { signal: AbortSignal.timeout(600) })).rejects.toMatchObject(busyOnFar);
    clearInterval(beat);
    expect(isAwake).toBe(true);
  });

  test('a process that lost the lock notices, and leaves the new one alone', async () => {
    const locks = openLocks();
    const lost = await locks.acquire('L');
    lost.assertHeld();
    const file = path.join(folder, lockFiles()[0] ?? '');
    writeFileSync(file, JSON.stringify({ nonce: 'of another' }));
    expect(() => lost.assertHeld()).toThrow(expect.objectContaining({ kind: 'lost' }));
    lost.release();
    expect(readFileSync(file, 'utf8')).toContain('of another');
  });
});

/** What a lock says of a process that has ended. */
const dead = { ...readMachine(process).self, nonce: 'dead', startTime: 'before' };

describe('a lock whose holder has died', () => {
  const next = JSON.stringify({ ...readMachine(process).self, nonce: 'next' });

  /** Where the lock of another process that has died is, and a disk on which one call happens after something else. */
  async function leaveLock(): Promise<string> {
    const lock = await openLocks().acquire('L');
    const file = path.join(folder, lockFiles()[0] ?? '');
    lock.release();
    writeFileSync(file, JSON.stringify(dead));
    return file;
  }

  test('is left alone if another waiter was faster, and its next holder has it already', async () => {
    const file = await leaveLock();
    const linkSync: typeof fs.linkSync = (from, to) => {
      if (String(to).endsWith('.break')) writeFileSync(file, next);
      fs.linkSync(from, to);
    };
    const locks = openLocks({ fileSystem: { ...fs, linkSync } });
    await expect(locks.acquire('L', { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      kind: 'busy',
    });
    expect(readFileSync(file, 'utf8')).toBe(next);
    expect(lockFiles()).toEqual([path.basename(file)]);
  });

  test('is taken over although one that was about to remove it has died as well', async () => {
    const file = await leaveLock();
    const breaker = path.join(folder, `${sha256(JSON.stringify(dead)).slice(0, 32)}.break`);
    writeFileSync(breaker, JSON.stringify({ ...dead, nonce: 'breaker' }));
    const waits: unknown[] = [];
    const lock = await openLocks().acquire('L', { onWait: (who) => waits.push(who) });
    expect(lockFiles()).toEqual([path.basename(file)]);
    expect(waits).toEqual([]);
    lock.release();
    expect(lockFiles()).toEqual([]);
  });

  test('is free for one that finds it gone when it looks who has it', async () => {
    const file = await leaveLock();
    const linkSync: typeof fs.linkSync = (from, to) => {
      try {
        fs.linkSync(from, to);
      } catch (error) {
        rmSync(file, { force: true });
        throw error;
      }
    };
    const waits: unknown[] = [];
    const locks = openLocks({ fileSystem: { ...fs, linkSync } });
    (await locks.acquire('L', { onWait: (holder) => waits.push(holder) })).release();
    expect(waits).toEqual([]);
  });

  test('is free if it goes while it is removed, as on Windows once nobody reads it any more', async () => {
    await leaveLock();
    const unlinkSync: typeof fs.unlinkSync = (file) => {
      rmSync(file, { force: true });
      fs.unlinkSync(file);
    };
    const lock = await openLocks({ fileSystem: { ...fs, unlinkSync } }).acquire('L');
    expect(lockFiles()).toHaveLength(1);
    lock.release();
    expect(lockFiles()).toEqual([]);
  });
});

test('one that waits learns once which process holds the lock', async () => {
  const holder = await openLocks().acquire('L');
  const waits: unknown[] = [];
  const locks = openLocks({ timeoutMs: 200 });
  const outcome = locks.acquire('L', { onWait: (who) => waits.push(who?.pid) });
  await expect(outcome).rejects.toMatchObject({ kind: 'busy' });
  expect(waits).toEqual([process.pid]);
  holder.release();
});

test('a lock that cannot be read when it is released is left for the next one to remove', async () => {
  let isBroken = false;
  const fileSystem: FileSystem = new Proxy(fs, {
    get: (target, name: keyof typeof fs) => {
      if (isBroken && name === 'openSync') return () => failWith('EIO');
      return target[name];
    },
  });
  const lock = await openLocks({ fileSystem }).acquire('L');
  isBroken = true;
  lock.release();
  expect(lockFiles()).toHaveLength(1);
});

test('a disk that takes no lock is an error that says so, and no draft of it stays', async () => {
  const fileSystem = new Proxy(fs, {
    get: (target, name: keyof typeof fs) => {
      if (name === 'linkSync') return () => failWith('EPERM');
      if (name !== 'openSync') return target[name];
      return (file: string, ...rest: [number, number]) =>
        file.endsWith('.lock') ? failWith('ENOSPC') : fs.openSync(file, ...rest);
    },
  });
  await expect(openLocks({ fileSystem }).acquire('L')).rejects.toMatchObject({ kind: 'disk_full' });
  expect(lockFiles()).toEqual([]);
});

test('the holder touches its lock, so that others see it live, and never the lock of another', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const lock = await openLocks().acquire('L');
  const file = path.join(folder, lockFiles()[0] ?? '');
  const afterTwoSeconds = () => {
    fs.utimesSync(file, 0, 0);
    vi.advanceTimersByTime(2_000);
    return statSync(file).mtimeMs;
  };
  expect(afterTwoSeconds()).toBeGreaterThan(0);
  writeFileSync(file, JSON.stringify({ nonce: 'of another' }));
  expect(afterTwoSeconds()).toBe(0);
  lock.release();
  expect(vi.getTimerCount()).toBe(0);
});

test('works where the file system has no hard links', async () => {
  const refuse = () => failWith('EPERM');
  const fileSystem = new Proxy(fs, {
    get: (target, name: keyof typeof fs) => (name === 'linkSync' ? refuse : target[name]),
  });
  const locks = openLocks({ fileSystem });
  const order: string[] = [];
  const first = await locks.acquire('L');
  const waiter = locks.acquire('L').then((lock) => {
    order.push('second');
    lock.release();
  });
  await sleep(30);
  order.push('first');
  first.release();
  await waiter;
  expect(order).toEqual(['first', 'second']);
});

describe('locks that are left behind', () => {
  const far = { ...dead, bootId: 'elsewhere', host: 'far' };

  /** Files in the folder of the locks: of processes that have ended, one that may run elsewhere, and others. */
  async function leaveFiles(): Promise<void> {
    await openLocks().acquire('mine');
    const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
    put('dead.lock', JSON.stringify(dead));
    put('dead.break', JSON.stringify(dead));
    put('far.lock', JSON.stringify(far));
    put('torn.lock', '{"nonce":');
    put('dead.lock.txt', JSON.stringify(dead));
    put('.old.tmp', '');
    put('.new.tmp', '');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    fs.utimesSync(path.join(folder, '.old.tmp'), longAgo, longAgo);
  }

  test('are removed if their process has certainly ended, and no others', async () => {
    await leaveFiles();
    const mine = lockFiles().filter((name) => /^[0-9a-f]{32}\.lock$/.test(name));
    await openLocks().sweep();
    expect(lockFiles().sort()).toEqual(
      [...mine, 'dead.lock.txt', 'far.lock', '.new.tmp', 'torn.lock'].sort(),
    );
  });

  test('may be gone when they are looked at', async () => {
    await leaveFiles();
    const readdirSync = ((name: string) => [...fs.readdirSync(name), 'gone.lock']) as typeof fs.readdirSync;
    const fileSystem = { ...fs, readdirSync };
    await openLocks({ fileSystem }).sweep();
    expect(lockFiles()).not.toContain('dead.lock');
  });
});

test('Windows refuses a name for a moment while its file is being removed: the lock is tried again', async () => {
  let refusals = 0;
  let isRemoving = false;
  const fileSystem = new Proxy(fs, {
    get: (target, name: keyof typeof fs) => {
      if (name === 'linkSync' && isRemoving) return () => failWith('EPERM');
      if (name !== 'openSync') return target[name];
      return (file: string, ...rest: [number, number]) => {
        if (!isRemoving || !file.endsWith('.lock')) return fs.openSync(file, ...rest);
        refusals += 1;
        isRemoving = refusals < 3;
        return failWith('EPERM');
      };
    },
  });
  const { pid, kill } = process;
  const locks = openLocks({ fileSystem, process: { pid, kill, platform: 'win32' } });
  isRemoving = true;

  const lock = await locks.acquire('L');

  lock.assertHeld();
  lock.release();
  expect(refusals).toBe(3);
  expect(lockFiles()).toEqual([]);
});
