import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findShell, type ShellName, shells } from '../completion/shells.ts';
import { version } from '../core/version.ts';

/** Columns that help never exceeds. */
export const helpColumns = 100;

/** As far below the root of the package as this file is, in the source and in the built program. */
const packageFolder = join(import.meta.dirname, '../..', '..');

/** Where the package has the completion script for a shell. */
export function completionScript(shell: ShellName): string {
  return join(packageFolder, 'completions', `storectl.${shells[shell].extension}`);
}

/**
 * Prints what is the same for everybody: the version, the help of a command, rendered when the program was built, and the completion
 * scripts. The parser, which this does without, takes longer than all of the rest. Returns false where the arguments ask
 * for something else, or where it takes more than printing: then nothing was printed.
 */
export function printPrepared(argv: readonly string[], stdout: NodeJS.WriteStream): Promise<boolean> {
  const text = versionText(argv) ?? readPrepared(helpFile(argv, stdout) ?? scriptFile(argv, stdout));
  if (text === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    // Where it cannot be written, main tries as well, and says why.
    stdout.once('error', () => resolve(false));
    stdout.write(text, (error) => resolve(!error));
  });
}

/** Asked by scripts and package managers all the time. */
function versionText([word = '', ...more]: readonly string[]): string | null {
  return more.length === 0 && ['--version', '-V'].includes(word) ? `${version}\n` : null;
}

/** A command that does not exist has no file, and the parser says so. */
function readPrepared(file: string | null): string | null {
  if (file === null) return null;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** In a narrow terminal help is wrapped anew. */
function helpFile(argv: readonly string[], { columns = helpColumns }: NodeJS.WriteStream): string | null {
  const words = helpWords(argv);
  if (words === null || columns < helpColumns || words.some((word) => !/^[a-z][a-z-]*$/.test(word)))
    return null;
  const folder = join(packageFolder, 'dist');
  return `${join(folder, 'help', ...words)}.txt`;
}

/** The command that the arguments ask the help of, or null. */
function helpWords(argv: readonly string[]): readonly string[] | null {
  if (argv[0] === 'help') return argv.slice(1);
  return argv.at(-1) === '--help' || argv.at(-1) === '-h' ? argv.slice(0, -1) : null;
}

/** In a terminal a pager shows it. */
function scriptFile(
  [command, shell = '', ...more]: readonly string[],
  { isTTY }: NodeJS.WriteStream,
): string | null {
  if (command !== 'completion' || more.length > 0 || isTTY) return null;
  const known = findShell(shell);
  return known === null ? null : completionScript(known);
}
