import { homedir } from 'node:os';
import type { Io } from './io.ts';

/**
 * The real process. Ctrl-C and SIGTERM abort the signal, so that a command ends in order and says what is known; a
 * second one ends the process at once, as it would without us.
 */
export function processIo(): Io {
  const controller = new AbortController();
  let editing = false;
  const interrupt = () => {
    if (editing) return;
    process.off('SIGINT', interrupt);
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.once('SIGTERM', () => controller.abort());
  return {
    // Opened when it is asked for: most commands never read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    process,
    homeDirectory: findHome(),
    signal: controller.signal,
    async leaveInterrupts(work) {
      editing = true;
      try {
        return await work();
      } finally {
        editing = false;
      }
    },
  };
}

/** Empty where neither the environment nor the system's list of users knows one. */
function findHome(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
