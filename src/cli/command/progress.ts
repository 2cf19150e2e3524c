import { isSwitchedOn } from '../core/io.ts';
import type { Context } from './context.ts';

/** Prints results line by line on stdout, and below them a progress bar on stderr. */
export interface Progress {
  /** Counts one more item. `line` is its result, printed on stdout, or null to print nothing. */
  step(line: string | null): void;
  /** Clears the bar. */
  end(): void;
}

const barColumns = 24;

/** The bar is only drawn if stderr is a terminal that can clear it, and not for screen readers. */
export function startProgress(context: Context, total: number, what: string): Progress {
  const { stderr, env } = context.io;
  const visible =
    !context.flags.quiet &&
    stderr.isTTY === true &&
    env.TERM !== 'dumb' &&
    !isSwitchedOn(env.STORECTL_ACCESSIBLE);
  let done = 0;
  const clear = () => {
    if (visible) stderr.write('\r\u001b[K');
  };
  const draw = () => {
    if (!visible) return;
    const filled = Math.round((done / Math.max(total, 1)) * barColumns);
    const bar = '█'.repeat(filled) + '░'.repeat(barColumns - filled);
    const { width } = context.err;
    stderr.write(`${bar} ${done}/${total} ${what}`.slice(0, (width ?? 80) - 1));
  };
  draw();
  return {
    step(line) {
      done += 1;
      clear();
      if (line !== null) context.print(line);
      draw();
    },
    end: clear,
  };
}
