import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findShell, type ShellName, shells } from '../completion/shells.ts';
import { packageFolder } from '../core/package-folder.ts';
import { version } from '../core/version.ts';

/** Columns that help never exceeds. */
export const helpColumns = 100;

/** The file of the completion script for a shell. */
export function completionScript(shell: ShellName): string {
  return join(packageFolder(), 'completions', `storectl.${shells[shell].extension}`);
}

/**
 * Prints the version, a help text that was rendered when the program was built, or a completion script, without loading
 * the parser, which takes longer than all the rest. Returns false, and prints nothing, when the arguments ask for anything
 * else.
 */
export function printPrepared(argv: readonly string[], stdout: NodeJS.WriteStream): Promise<boolean> {
  const text = versionText(argv) ?? readPrepared(helpFile(argv, stdout) ?? scriptFile(argv));
  if (text === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    // Main then fails in the same way, and prints why.
    stdout.once('error', () => resolve(false));
    stdout.write(text, (error) => resolve(!error));
  });
}

function versionText([word = '', ...more]: readonly string[]): string | null {
  return more.length === 0 && ['--version', '-V'].includes(word) ? `${version}\n` : null;
}

/** Null for a command that does not exist: the parser reports it. */
function readPrepared(file: string | null): string | null {
  if (file === null) return null;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Null in a narrow terminal, where the parser wraps the help. */
function helpFile(argv: readonly string[], { columns = helpColumns }: NodeJS.WriteStream): string | null {
  const words = helpWords(argv);
  if (words === null || columns < helpColumns || words.some((word) => !/^[a-z][a-z-]*$/.test(word)))
    return null;
  return `${join(packageFolder(), 'dist', 'help', ...words)}.txt`;
}

/** The words of the command whose help is asked for, or null. */
function helpWords(argv: readonly string[]): readonly string[] | null {
  if (argv[0] === 'help') return argv.slice(1);
  return argv.at(-1) === '--help' || argv.at(-1) === '-h' ? argv.slice(0, -1) : null;
}

function scriptFile([command, shell = '', ...more]: readonly string[]): string | null {
  const known = command === 'completion' && more.length === 0 ? findShell(shell) : null;
  return known === null ? null : completionScript(known);
}
