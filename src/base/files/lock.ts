import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import { asObject, parseJson } from '../json.ts';
import { sha256 } from '../sha256.ts';
import { errorCode } from '../system-error.ts';
import {
  createFile,
  ensureFolder,
  type Files,
  fileFailure,
  listFolder,
  readText,
  removeQuietly,
  sweepDrafts,
} from './files.ts';
import { retryWhilePending } from './pending.ts';
import type { Machine, ProcessIdentity } from './process-identity.ts';

/*
 * Locks between processes, without native code.
 *
 * A lock is a file that names its holder. A process takes the lock by creating the file with its content in one step (a hard link to a
 * finished file), which fails if the file exists. The holder removes the file. So at most one process holds the lock, and the only
 * hard case is a holder that died.
 *
 * - A holder counts as dead only with proof: same kernel, same pid namespace, and the pid is gone or belongs to a process
 *   that started at another time. A process that is proven dead never comes back. A process that lives keeps its lock, also while the
 *   process is stopped.
 * - If there can be no proof (another machine or container on a shared disk), the heartbeat of the holder decides: the holder touches
 *   the file every two seconds, and a waiter that sees no change for `silenceMs` takes the holder for dead. The waiter counts only the
 *   time that it was awake itself, because the holder may have slept on the same laptop.
 * - A holder that was stopped for a third of `silenceMs` does not trust the file: a waiter may be about to remove it. The holder takes
 *   the lock for removing (next point), checks that the file is still its own, and touches the file. So an action right after an
 *   assertion is over long before another process may take the lock.
 * - The file of a dead holder is removed under another lock, which is named after the content of the file. Only the holder of that
 *   second lock may remove the file, and it checks the content again before. So a slow waiter never removes the file of the next
 *   holder. If the holder of the second lock dies, that lock is broken in the same way.
 */

export interface LockOptions {
  /** Ends the wait with a failure `busy`. */
  readonly signal?: AbortSignal | undefined;
  /** Called once if another process holds the lock; null if the file does not say which. */
  readonly onWait?: ((holder: ProcessIdentity | null) => void) | undefined;
}

export interface Lock {
  /**
   * Throws a failure `lost` if another process has taken the lock. An action that depends on the lock has to follow in the same turn of the
   * event loop.
   */
  assertHeld(): void;
  release(): void;
}

export interface LockSettings {
  readonly folder: string;
  readonly files: Files;
  readonly machine: Machine;
  readonly randomBytes: (size: number) => Buffer;
  /** Milliseconds without a heartbeat after which a holder that cannot be checked counts as dead. */
  readonly silenceMs: number;
  /** Milliseconds to wait for another holder; then a failure `busy`. */
  readonly timeoutMs: number;
}

const HEARTBEAT_MS = 2_000;
const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 100;

export function openLocks(settings: LockSettings) {
  const { folder, files, machine, randomBytes, silenceMs, timeoutMs } = settings;
  const { fileSystem } = files;
  /** The locks that were acquired and not released yet. */
  const own = new Set<Lock>();

  async function acquire(file: string, options: LockOptions): Promise<Lock> {
    const nonce = randomBytes(16).toString('hex');
    const text = JSON.stringify({ nonce, ...machine.self });
    const draft = path.join(folder, `.${nonce}.tmp`);
    const watch = watchSilence();
    let waitsSince: number | null = null;
    let hasReported = false;
    try {
      createFile(files, draft, text, { sync: false });
      for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, MAX_POLL_MS)) {
        const madeAt = readClocks();
        if (await retryWhilePending(files.platform, () => create(file, draft, text)))
          return hold(file, text, madeAt);
        const found = await retryWhilePending(files.platform, () => look(file));
        if (found === null) continue;
        const { holder, liveness } = found;
        const silentMs = watch(`${found.text} ${found.mtimeMs}`);
        if (liveness === 'dead' || (liveness === 'unsure' && silentMs > silenceMs)) {
          await breakLock(file, found, options.signal);
          continue;
        }
        waitsSince ??= monotonicMs();
        if (monotonicMs() - waitsSince > timeoutMs) throw busy(files, file, holder);
        if (!hasReported) options.onWait?.(holder);
        hasReported = true;
        const { signal } = options;
        await sleep(pollMs * (0.5 + Math.random()), undefined, signal && { signal }).catch(() => {
          throw busy(files, file, holder);
        });
      }
    } catch (error) {
      throw fileFailure(files, error, 'write', file);
    } finally {
      removeQuietly(files, draft);
    }
  }

  /** The lock in a file; null if it is free. */
  function look(file: string) {
    const found = readText(files, file);
    if (found === null) return null;
    const holder = parseHolder(found.text);
    return { ...found, holder, liveness: holder === null ? 'unsure' : machine.liveness(holder) };
  }

  function create(file: string, draft: string, text: string): boolean {
    try {
      fileSystem.linkSync(draft, file);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
    }
    // This file system has no hard links. Others may see the file before it is whole, and count its holder as one that cannot be checked.
    try {
      createFile(files, file, text, { sync: false });
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** `heldAt`: the clocks when it was made, or before. */
  function hold(file: string, text: string, heldAt: Clocks): Lock {
    let touchedAt = heldAt;
    const isOwn = () => readText(files, file)?.text === text;

    function touch(): void {
      touchedAt = readClocks();
      fileSystem.utimesSync(file, new Date(), new Date());
    }

    /** Whether the file is still that of this lock, and no other process may remove it for a while. */
    function isHeld(): boolean {
      if (elapsedMs(touchedAt) < silenceMs / 3) return isOwn();
      const breaker = breakerOf(text);
      const nonce = randomBytes(16).toString('hex');
      try {
        createFile(files, breaker, JSON.stringify({ nonce, ...machine.self }), { sync: false });
      } catch (error) {
        // Another process is about to remove the file.
        if (errorCode(error) === 'EEXIST') return false;
        throw error;
      }
      try {
        if (!isOwn()) return false;
        touch();
        return true;
      } finally {
        removeQuietly(files, breaker);
      }
    }

    const heartbeat = setInterval(() => {
      try {
        if (isHeld()) touch();
      } catch {
        // A later heartbeat may succeed; if none does, the holder finds out with assertHeld.
      }
    }, HEARTBEAT_MS);
    heartbeat.unref();
    const lock: Lock = {
      assertHeld() {
        if (isHeld()) return;
        const message = `lost the lock ${file} to another process because this process was suspended`;
        throw files.failure({ kind: 'lost', message, file });
      },
      release() {
        clearInterval(heartbeat);
        own.delete(lock);
        try {
          if (isHeld()) removeQuietly(files, file);
        } catch {
          // It can no longer be read; when this process has ended, others see that.
        }
      },
    };
    return lock;
  }

  async function breakLock(
    file: string,
    { text, mtimeMs }: { text: string; mtimeMs: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const breaker = await acquire(breakerOf(text), { signal });
    try {
      await retryWhilePending(files.platform, () => {
        const found = readText(files, file);
        if (found?.text !== text || found.mtimeMs !== mtimeMs) return;
        try {
          fileSystem.unlinkSync(file);
        } catch (error) {
          // Windows shows a file that was removed until nobody has it open any more.
          if (errorCode(error) !== 'ENOENT') throw error;
        }
      });
    } finally {
      breaker.release();
    }
  }

  const fileFor = (name: string, ending: string) =>
    path.join(folder, `${sha256(name).slice(0, 32)}.${ending}`);
  const fileOf = (name: string) => fileFor(name, 'lock');
  const breakerOf = (text: string) => fileFor(text, 'break');

  return {
    /** Waits until the caller holds the lock. Not reentrant: a second acquire by the same process waits until the timeout. */
    async acquire(name: string, options: LockOptions = {}): Promise<Lock> {
      ensureFolder(files, folder);
      const lock = await acquire(fileOf(name), options);
      own.add(lock);
      return lock;
    },
    /** Throws a failure `lost` if another process has taken one of the locks of this process. */
    assertHeld(): void {
      let startedAt: Clocks;
      do {
        startedAt = readClocks();
        for (const lock of own) lock.assertHeld();
        // A process that was stopped between two assertions has to assert all locks again.
      } while (elapsedMs(startedAt) >= silenceMs / 3);
    },
    /** Whether a running process holds the lock, as far as can be known without waiting. */
    isHeld(name: string): boolean {
      const found = look(fileOf(name));
      if (found?.liveness !== 'unsure') return found?.liveness === 'alive';
      return Math.abs(Date.now() - found.mtimeMs) < silenceMs;
    },
    /** Removes the locks of processes that are proven dead. */
    async sweep(): Promise<void> {
      const names = listFolder(files, folder);
      sweepDrafts(files, folder, names);
      for (const name of names.filter((name) => /\.(lock|break)$/.test(name))) {
        const file = path.join(folder, name);
        const found = look(file);
        if (found?.liveness === 'dead') await breakLock(file, found, undefined);
      }
    },
  };
}

/** Milliseconds: the monotonic clock stands still while some machines sleep, and the other one may be set back. */
interface Clocks {
  readonly monotonic: number;
  readonly wall: number;
}

function readClocks(): Clocks {
  return { monotonic: monotonicMs(), wall: Date.now() };
}

/** At least as long as it really was, by whichever clock says more. */
function elapsedMs({ monotonic, wall }: Clocks): number {
  return Math.max(monotonicMs() - monotonic, Date.now() - wall);
}

/** Null if the text is not whole. */
function parseHolder(text: string): ProcessIdentity | null {
  const holder = asObject(parseJson(text)) as Partial<ProcessIdentity>;
  return Number.isInteger(holder.pid) ? (holder as ProcessIdentity) : null;
}

/** For how many milliseconds the caller, while awake, has seen the same value. */
function watchSilence(): (value: string) => number {
  let last = '';
  let lastAt = 0;
  let silentMs = 0;
  return (value) => {
    const now = monotonicMs();
    silentMs = value === last ? silentMs + Math.min(now - lastAt, 5 * MAX_POLL_MS) : 0;
    last = value;
    lastAt = now;
    return silentMs;
  };
}

function busy({ failure }: Files, file: string, holder: ProcessIdentity | null): Error {
  const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return failure({ kind: 'busy', message: `${who} holds the lock ${file}`, file });
}
