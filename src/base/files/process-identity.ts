import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import { monotonicMs } from '../clock.ts';
import { errorCode } from '../system-error.ts';

/** Identifies one process among all that ever ran, as far as the system shows it. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Linux: an id of the running kernel, new with each start of the kernel. Containers on one kernel share the id. */
  readonly bootId: string | null;
  /** Linux: the namespace of the pid. The same pid is another process in another namespace, such as pid 1 in each container. */
  readonly pidNamespace: string | null;
  /**
   * When the process started, because pids are used again. Linux: clock ticks since the start of the kernel. macOS: UTC, as `ps` prints it.
   * Null if the system does not show the time, or may show another time after its clock was set.
   */
  readonly startTime: string | null;
}

/** `unsure`: the process runs elsewhere. */
export type Liveness = 'alive' | 'dead' | 'unsure';

/** The part of Node's `process` that a Machine needs. */
export type ProcessFacts = Pick<NodeJS.Process, 'pid' | 'platform' | 'kill'>;

export type Machine = ReturnType<typeof readMachine>;

/** This machine, seen from this process. */
export function readMachine(facts: ProcessFacts) {
  const own = observe(facts, facts.pid);
  const isLinux = facts.platform === 'linux';
  const self: ProcessIdentity = {
    pid: facts.pid,
    host: hostname(),
    bootId: isLinux
      ? valueOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
      : null,
    pidNamespace: isLinux ? valueOrNull(() => readlinkSync('/proc/self/ns/pid')) : null,
    startTime: own === 'gone' ? null : own.startTime,
  };
  let last: { owner: ProcessIdentity; liveness: Liveness; at: number } | null = null;
  return {
    self,
    /**
     * Whether a process still runs. `dead` is final: a dead process never becomes alive. The answer may be {@link maxAgeMs} old if the same
     * process was asked about before.
     */
    liveness(owner: ProcessIdentity): Liveness {
      const isSame = last !== null && JSON.stringify(last.owner) === JSON.stringify(owner);
      if (last !== null && isSame && !isLinux && monotonicMs() - last.at < maxAgeMs) return last.liveness;
      const liveness = judgeLiveness(self, owner, (pid) => observe(facts, pid));
      last = { owner, liveness, at: monotonicMs() };
      return liveness;
    },
  };
}

/** Outside of Linux, looking at a process may start another one, so an answer is kept this long. */
const maxAgeMs = 500;

/** A process as others see it. `startTime` is null if the system does not show it. */
export type Observed = 'gone' | { readonly startTime: string | null };

/** The rules behind {@link Machine.liveness}; `look` finds a process of the namespace of `self` by its id. */
export function judgeLiveness(
  self: ProcessIdentity,
  owner: ProcessIdentity,
  look: (pid: number) => Observed,
): Liveness {
  if (self.bootId !== owner.bootId || self.pidNamespace !== owner.pidNamespace) return 'unsure';
  const samePids = self.bootId === null ? self.host === owner.host : self.pidNamespace !== null;
  if (!samePids) return 'unsure';
  const found = look(owner.pid);
  if (found === 'gone') return 'dead';
  // Without a start time, this may be another process with the same id. But if it is the same one, it may go on at any time.
  if (found.startTime === null || owner.startTime === null) return 'alive';
  return found.startTime === owner.startTime ? 'alive' : 'dead';
}

function observe(facts: ProcessFacts, pid: number): Observed {
  try {
    facts.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return 'gone';
  }
  if (facts.platform === 'linux') return observeLinux(pid);
  return { startTime: facts.platform === 'darwin' ? startTimeByPs(pid) : null };
}

function observeLinux(pid: number): Observed {
  // The file of the first thread has the same fields. qemu makes up /proc/PID/stat, with a start time that no other process sees.
  const stat = valueOrNull(() => readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8'));
  // Fields 3 (state) and 22 (start time) of proc_pid_stat(5); field 2, the name, may hold spaces and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  // A zombie has ended; its parent has not collected it yet.
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone';
  return { startTime: fields[19] ?? null };
}

/** The start time of a process by `ps`, in words that are the same for every language and time zone. Null without one. */
function startTimeByPs(pid: number): string | null {
  return valueOrNull(() => {
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
    const found = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env,
      encoding: 'utf8',
      timeout: 2_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return found.trim() || null;
  });
}

function valueOrNull(read: () => string | null): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
