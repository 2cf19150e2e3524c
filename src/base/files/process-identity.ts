import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../system-error.ts';

/** What tells one process from every other one that ever ran, as far as the system says. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Linux: changes with every start of the kernel, and containers share that of their kernel. */
  readonly bootId: string | null;
  /** Linux: process ids mean something within one namespace only; pid 1 is in every container. */
  readonly pidNamespace: string | null;
  /** Linux: clock ticks from the start of the kernel to the start of the process, since pids are used again. */
  readonly startTime: string | null;
}

/** `unsure`: the process runs elsewhere, or the system does not tell enough about it. */
export type Liveness = 'alive' | 'dead' | 'unsure';

/** What a Machine needs of Node's `process`. */
export type ProcessFacts = Pick<NodeJS.Process, 'pid' | 'platform' | 'kill'>;

export type Machine = ReturnType<typeof readMachine>;

/** This machine, seen from this process. */
export function readMachine(facts: ProcessFacts) {
  const own = observe(facts, facts.pid);
  const self: ProcessIdentity = {
    pid: facts.pid,
    host: hostname(),
    bootId: valueOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: valueOrNull(() => readlinkSync('/proc/self/ns/pid')),
    startTime: own === 'gone' ? null : own.startTime,
  };
  return {
    self,
    /** Whether the process still runs. `dead` is final: it can never come to be `alive` again. */
    liveness: (owner: ProcessIdentity) => judgeLiveness(self, owner, (pid) => observe(facts, pid)),
  };
}

/** A process as others see it; `startTime` is null where the system does not show it. */
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
  // Without both start times it may be another process that was given the same id.
  if (found.startTime === null || owner.startTime === null) return 'unsure';
  return found.startTime === owner.startTime ? 'alive' : 'dead';
}

function observe(facts: ProcessFacts, pid: number): Observed {
  try {
    facts.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return 'gone';
  }
  const stat = valueOrNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // Fields 3 (state) and 22 (start time) of proc_pid_stat(5); field 2, the name, may hold spaces and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  // A zombie runs no more; its parent has only not asked for it yet.
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone';
  return { startTime: fields[19] ?? null };
}

function valueOrNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
