import { homedir } from 'node:os';
import { type Io, usableColumns } from './io.ts';

/**
 * The real process. The first Ctrl-C, SIGTERM or SIGHUP aborts the signal, so that a command can report what it knows; a
 * second Ctrl-C kills the process, unless the command listens for it.
 */
export function processIo(): Io {
  const controller = new AbortController();
  let editing = false;
  const interrupt = () => {
    if (editing) return;
    controller.abort();
    // Not at once: a prompt that is open would take itself for the only listener, and kill the process.
    setImmediate(() => process.off('SIGINT', interrupt));
  };
  process.on('SIGINT', interrupt);
  // SIGHUP: the terminal or the session has gone. Node delivers a SIGHUP even under nohup, which ignores it.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort());
  return {
    // A getter: most commands never read stdin, and touching it opens it.
    get stdin() {
      return process.stdin;
    },
    stdout: withUsableColumns(process.stdout),
    stderr: withUsableColumns(process.stderr),
    env: process.env,
    cwd: findWorkingFolder(),
    process,
    homeDirectory: findHome(),
    signal: controller.signal,
    signalJob: (signal) => void process.kill(0, signal),
    onContinue(listener) {
      process.on('SIGCONT', listener);
      return () => process.off('SIGCONT', listener);
    },
    onSecondInterrupt(stop) {
      process.once('SIGINT', stop);
      return () => process.off('SIGINT', stop);
    },
    async ignoreInterruptsDuring(work) {
      editing = true;
      try {
        return await work();
      } finally {
        editing = false;
      }
    },
  };
}

/** The name of the folder as the shell knows it if it was removed: then a file in it is not found, and the rest works. */
function findWorkingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? '/';
  }
}

/** Empty if neither the environment nor the system's user database has one. */
function findHome(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Makes a terminal report {@link usableColumns}, to libraries as well. Some report 0 or 1, such as those of a container. */
function withUsableColumns<Stream extends NodeJS.WriteStream>(stream: Stream): Stream {
  if (!stream.isTTY) return stream;
  let reported: number | undefined = stream.columns;
  Object.defineProperty(stream, 'columns', {
    configurable: true,
    get: () => usableColumns(reported),
    // Node sets it when the window changes.
    set(columns: number) {
      reported = columns;
    },
  });
  return stream;
}
