import { monotonicMs } from '../../base/clock.ts';
import { type Io, isSwitchedOn } from '../core/io.ts';

/** A line that stays below all other output: a progress bar, and what is awaited. */
export interface StatusLine {
  /** Replaces the progress bar; null removes it. */
  setBar(bar: string | null): void;
  /** Replaces what is awaited, and for how long; null removes it. */
  setWait(wait: { readonly what: string; readonly seconds: number } | null): void;
  /** Removes the line, writes, and shows the line again. */
  writeAbove(write: () => unknown): void;
}

/**
 * The line is shown only if stderr is a terminal. Where it cannot be redrawn, or a screen reader would read it each time, a
 * wait is said once, and there is no bar.
 */
export function createStatusLine(
  { stderr, env, signal }: Pick<Io, 'stderr' | 'env' | 'signal'>,
  quiet: boolean,
  truncate: (text: string, width: number) => string = (text) => text,
): StatusLine {
  const isTerminal = !quiet && stderr.isTTY === true;
  const canRedraw = isTerminal && env.TERM !== 'dumb' && !isSwitchedOn(env.STORECTL_ACCESSIBLE);
  let bar: string | null = null;
  let wait: string | null = null;
  let isWaitSaid = false;
  const line = () => [bar, wait].filter((part) => part !== null).join('  ');
  const clear = () => {
    if (line() !== '') stderr.write('\r\u001b[K');
  };
  const draw = () => {
    if (line() !== '') stderr.write(truncate(line(), (stderr.columns ?? 80) - 1));
  };
  const change = (set: () => void) => {
    clear();
    if (canRedraw) set();
    draw();
  };
  return {
    setBar(next) {
      change(() => {
        bar = next;
      });
    },
    setWait(next) {
      if (next === null && wait === null) return;
      if (next !== null && isTerminal && !canRedraw && !isWaitSaid) {
        isWaitSaid = true;
        stderr.write(`Waiting for ${next.what} (Ctrl-C to stop).\n`);
      }
      change(() => {
        const start = bar === null ? `Waiting for ${next?.what}…` : 'no response for';
        wait = next && `${start} ${next.seconds} s${signal.aborted ? '' : ' (Ctrl-C to stop)'}`;
      });
    },
    writeAbove(write) {
      clear();
      write();
      draw();
    },
  };
}

/** Shows in the status line what is awaited, after a second without an answer. */
export interface Waiting {
  /** Runs `work`. `what` is awaited meanwhile, such as the host of the service. */
  during<Result>(what: string, work: () => Promise<Result>): Promise<Result>;
  /** An answer has come: counts from now on. */
  answered(): void;
}

const secondMs = 1000;

export function createWaiting({ setWait }: Pick<StatusLine, 'setWait'>): Waiting {
  let running = 0;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const answered = () => {
    since = monotonicMs();
    setWait(null);
  };
  return {
    answered,
    async during(what, work) {
      if (running++ === 0) {
        since = monotonicMs();
        timer = setInterval(() => {
          const seconds = Math.floor((monotonicMs() - since) / secondMs);
          if (seconds > 0) setWait({ what, seconds });
        }, secondMs);
      }
      try {
        return await work();
      } finally {
        if (--running === 0) {
          clearInterval(timer);
          setWait(null);
        }
      }
    },
  };
}
