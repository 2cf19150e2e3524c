import { type Io, isSwitchedOn } from '../core/io.ts';
import type { GlobalFlags } from './global-flags.ts';

/** A line that stays below all other output. */
export interface StatusLine {
  /** Replaces the line; null removes it. */
  set(line: string | null): void;
  /** Removes the line, writes, and shows the line again. */
  writeAbove(write: () => unknown): void;
}

/** The line is shown only if stderr is a terminal that can clear it, and not for screen readers. */
export function createStatusLine(
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  flags: Pick<GlobalFlags, 'quiet'>,
): StatusLine {
  const visible =
    !flags.quiet && stderr.isTTY === true && env.TERM !== 'dumb' && !isSwitchedOn(env.STORECTL_ACCESSIBLE);
  let current: string | null = null;
  const clear = () => {
    if (current !== null) stderr.write('\r\u001b[K');
  };
  const draw = () => {
    if (current !== null) stderr.write(current.slice(0, (stderr.columns ?? 80) - 1));
  };
  return {
    set(line) {
      clear();
      current = visible ? line : null;
      draw();
    },
    writeAbove(write) {
      clear();
      write();
      draw();
    },
  };
}
