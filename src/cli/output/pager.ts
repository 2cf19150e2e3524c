import { stripVTControlCharacters } from 'node:util';
import { errorCode } from '../../base/system-error.ts';
import { type Io, isSwitchedOn, withoutKey } from '../core/io.ts';

/**
 * The pager for a text, a command line for the shell: `PAGER` or `less`. Null for a text that the terminal shows whole,
 * without a terminal on both ends, for screen readers, which read a whole text better, and if the variable is empty or `cat`.
 */
export function choosePager(text: string, io: Io): string | null {
  const { env, stdin, stdout } = io;
  if (stdout.isTTY !== true || stdin.isTTY !== true || env.TERM === 'dumb') return null;
  if (!isLongerThan(text, stdout)) return null;
  if ([env.CI, env.STORECTL_NO_INPUT, env.STORECTL_ACCESSIBLE].some(isSwitchedOn)) return null;
  if (env.PAGER !== undefined) return ['', 'cat'].includes(env.PAGER.trim()) ? null : env.PAGER;
  return io.process.platform === 'win32' ? null : 'less -FRX';
}

/** Whether the text, wrapped at the terminal's width, has more lines than the terminal. */
function isLongerThan(text: string, { rows = 24, columns = 80 }: Io['stdout']): boolean {
  const lines = stripVTControlCharacters(text).trimEnd().split('\n');
  // The shell prompt takes one line.
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0) >= rows;
}

/** Shows the text in the pager and returns true when the user has left it, or false if the pager cannot be started. */
export function showInPager(
  input: string,
  pager: string,
  { env, process, keyboard }: Pick<Io, 'env' | 'process' | 'keyboard'>,
): boolean {
  // Loaded only here, because most runs start no program. Printing is synchronous, so `import()` is no option.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const takeBack = keyboard?.lend();
  const { error, status } = spawnSync(pager, {
    input,
    shell: true,
    env: { LESS: 'FRX', LV: '-c', ...withoutKey(env) },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  takeBack?.();
  // EPIPE means that the user left the pager before it had read everything.
  if (error !== undefined && errorCode(error) !== 'EPIPE') return false;
  // The shell's exit codes for a program that it cannot run or find.
  return status !== 126 && status !== 127;
}
