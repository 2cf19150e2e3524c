import type { SpawnSyncReturns, StdioOptions } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { type Io, isSwitchedOn } from '../core/io.ts';
import { withoutLinks } from './hyperlinks.ts';

/** A pager: a command line for the shell, or a program with its arguments. */
export type Pager = string | readonly string[];

/**
 * The pager that long output goes through, or null for none: `STORECTL_PAGER`, `PAGER`, `less`. None where nobody is
 * there to press keys, and none for screen readers, which read a text better as a whole. An empty one and `cat` are none.
 */
export function choosePager(io: Io): Pager | null {
  const { env, stdin, stdout } = io;
  if (stdout.isTTY !== true || stdin.isTTY !== true || env.TERM === 'dumb') return null;
  const off = [env.CI, env.STORECTL_NO_INPUT, env.STORECTL_NO_PAGER, env.STORECTL_ACCESSIBLE];
  if (off.some(isSwitchedOn)) return null;
  const named = env.STORECTL_PAGER ?? env.PAGER;
  if (named !== undefined) return ['', 'cat'].includes(named.trim()) ? null : named;
  return io.process.platform === 'win32' ? null : ['less', '-FRX'];
}

/** Whether the text has more lines than the terminal, long ones broken at its width. */
export function isLongerThan(text: string, { rows = 24, columns = 80 }: ScreenSize): boolean {
  const lines = stripVTControlCharacters(text).trimEnd().split('\n');
  // The prompt of the shell takes one.
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0) >= rows;
}

interface ScreenSize {
  readonly rows?: number | undefined;
  readonly columns?: number | undefined;
}

/**
 * Shows the text in the pager and returns when the user has left it, however early: true. False where there is no such
 * program, and nothing was shown.
 */
export function showInPager(text: string, pager: Pager, io: Pick<Io, 'env' | 'process'>): boolean {
  const { error, status } = run(pager, withoutLinks(text), io);
  // EPIPE is a pager that was left before it had read everything.
  if (error !== undefined && (error as NodeJS.ErrnoException).code !== 'EPIPE') return false;
  // The shell's own words for a program that it cannot run or find.
  return status !== 126 && status !== 127;
}

function run(
  pager: Pager,
  input: string,
  { env, process }: Pick<Io, 'env' | 'process'>,
): SpawnSyncReturns<Buffer> {
  // Loaded only here: most runs start no program, and printing cannot wait for an import.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const stdio: StdioOptions = ['pipe', 'inherit', 'inherit'];
  const options = { input, env: { LESS: 'FRX', LV: '-c', ...env }, stdio };
  if (typeof pager === 'string') return spawnSync(pager, { ...options, shell: true });
  const [program = '', ...args] = pager;
  return spawnSync(program, args, options);
}
